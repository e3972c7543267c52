import json
import time
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from shflbench.core.launch import LAUNCH_ALLOWED
from shflbench.core.model import DTYPES
from shflbench.patterns.discover import builtin
from shflbench.suite import json_schema
from shflbench.suite.schema import SECTIONS, SuiteFile
from tests.suite.conftest import Folder

RING = "experiments: [{pattern: ./ring, launch: 1x32}]\n"
LAUNCHES = f"allowed: {LAUNCH_ALLOWED}"
BLOCKS = "allowed: blocks of whole warps: a multiple of 32 from 32 to 1024 threads"
THREADS = "threads per block, a multiple of 32; in several dimensions `16x16`"
GRIDS = "allowed: a number of blocks from 1 to 2147483647, `sms`, `2*sms`, `sms/2` or `fill`"
PRECISIONS = "allowed: a percentage such as `0.5%` or a fraction such as `0.005`, above 0 and at most 10%"
COUNTS = "allowed: an integer from 1 to 2147483647"
SECONDS = "allowed: a number of seconds above 0 and at most 86400, such as `2`"
SAMPLES = "allowed: an integer from 1 to 1000000"
PROCESSES = "allowed: an integer from 1 to 100"
NAMES = "allowed: lower-case words and numbers joined by hyphens, such as `launch-sweep`"
DEFAULTS = "launch, iterations, dtypes, variants"
KEYS = "schema, name, title, defaults, measure, compare, experiments, charts, claims"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a\n" + RING, "1:1: missing key `schema`; needed: version of the suite format: 1"),
        ("schema: 2\nname: a\n" + RING, "1:9: found `2`; allowed: 1, the only version of suite files so far"),
        ("schema: true\nname: a\n" + RING, "1:9: found `true`; allowed: 1, the only version of suite files so far"),
        (
            "# no name\nschema: 1\n" + RING,
            "2:1: missing key `name`; needed: name of the suite, and of its folder of results",
        ),
        ("schema: 1\nname: My Suite\n" + RING, f"2:7: found `My Suite`; {NAMES}"),
        ("schema: 1\nname: ../up\n" + RING, f"2:7: found `../up`; {NAMES}"),
        ("schema: 1\nname:\n" + RING, f"2:1: found nothing; {NAMES}"),
        ("schema: 1\nname: 2026\n" + RING, f"2:7: found `2026`; {NAMES}"),
        ("schema: 1\nname: a\ntitle: ''\n" + RING, "3:8: found empty text; allowed: one line of text"),
        ("schema: 1\nname: a\ntitle: [b]\n" + RING, "3:8: found a list; allowed: one line of text"),
        (
            "schema: 1\nname: a\n",
            "1:1: missing key `experiments`; needed: what to run: one experiment or a list of them",
        ),
        ("schema: 1\nname: a\nexperiments: []\n", "3:14: found an empty list; allowed: at least one value"),
    ],
)
def test_the_head_of_a_suite_is_checked(folder: Folder, text: str, message: str) -> None:
    assert folder.refusal(text) == f"demo.yaml:{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("remarks: []\n", f"3:1: unknown key `remarks`; allowed: {KEYS}"),
        ("tilte: b\n", f"3:1: unknown key `tilte`; allowed: {KEYS}; did you mean `title`?"),
        ("1: b\n", "3:1: found `1` as a key; allowed: keys such as `launch`"),
        (
            "defaults: {launchs: 1x32}\n",
            f"3:12: unknown key `launchs`; allowed: {DEFAULTS}; did you mean `launch`?",
        ),
        ("defaults:\n", f"3:1: found nothing; allowed: a mapping with the keys {DEFAULTS}"),
        ("defaults: {launch: 26x1000}\n", f"3:20: found `26x1000`; {BLOCKS}"),
        ("defaults: {launch: 26x2048}\n", f"3:20: found `26x2048`; {BLOCKS}"),
        ("defaults: {launch: 0x1024}\n", f"3:20: found `0x1024`, which is the number 4132; {LAUNCHES}"),
        ("defaults: {launch: 0 x 1024}\n", f"3:20: found `0 x 1024`; {GRIDS}"),
        ("defaults: {launch: 1024}\n", f"3:20: found `1024`; {LAUNCHES}"),
        ("defaults: {launch: 2 * sm x 32}\n", f"3:20: found `2 * sm x 32`; {LAUNCHES}"),
        ("defaults:\n  launch:\n    - 1x32\n    - 1x33\n", f"6:7: found `1x33`; {BLOCKS}"),
        ("defaults: {launch: {grid: [1, sms/0], block: 32}}\n", f"3:31: found `sms/0`; {GRIDS}"),
        ("defaults: {launch: {grid: true, block: 32}}\n", f"3:27: found `true`; {GRIDS}"),
        ("defaults: {launch: {grid: 1, block: [32, 48]}}\n", f"3:42: found `48`; {BLOCKS}"),
        ("defaults: {launch: {grid: 1, block: '32'}}\n", f"3:37: found the text `32`; {BLOCKS}"),
        ("defaults: {launch: {grid: 1}}\n", f"3:20: missing key `block`; needed: {THREADS}"),
        (
            "defaults: {launch: [{grid: 1, block: 32, blok: 1}]}\n",
            "3:42: unknown key `blok`; allowed: grid, block; did you mean `block`?",
        ),
        ("defaults: {iterations: 0}\n", f"3:24: found `0`; {COUNTS}"),
        ("defaults: {iterations: 1.5}\n", f"3:24: found `1.5`; {COUNTS}"),
        ("defaults: {iterations: '4096'}\n", f"3:24: found the text `4096`; {COUNTS}"),
        ("defaults: {iterations: true}\n", f"3:24: found `true`; {COUNTS}"),
        ("defaults: {iterations: 2147483648}\n", f"3:24: found `2147483648`; {COUNTS}"),
        ("defaults: {iterations: []}\n", "3:24: found an empty list; allowed: at least one value"),
        ("defaults: {dtypes: 32}\n", "3:20: found `32`; allowed: the name of a dtype, such as `f32`"),
        ("defaults: {variants: [smem, {}]}\n", "3:29: found a mapping; allowed: the name of a variant"),
        ("measure: {precision: 0.5}\n", f"3:22: found `0.5`; {PRECISIONS}"),
        ("measure: {precision: 0%}\n", f"3:22: found `0%`; {PRECISIONS}"),
        ("measure: {precision: half%}\n", f"3:22: found `half%`; {PRECISIONS}"),
        ("measure: {precision: nan%}\n", f"3:22: found `nan%`; {PRECISIONS}"),
        ("measure: {precision: '0.005'}\n", f"3:22: found the text `0.005`; {PRECISIONS}"),
        ("measure: {max_seconds: 0}\n", f"3:24: found `0`; {SECONDS}"),
        ("measure: {max_seconds: .inf}\n", f"3:24: found `.inf`; {SECONDS}"),
        ("measure: {max_seconds: true}\n", f"3:24: found `true`; {SECONDS}"),
        ("measure: {min_seconds: -1}\n", f"3:24: found `-1`; {SECONDS}"),
        ("measure: {timeout: 86401}\n", f"3:20: found `86401`; {SECONDS}"),
        ("measure: {min_samples: 0}\n", f"3:24: found `0`; {SAMPLES}"),
        ("measure: {max_samples: 1.5}\n", f"3:24: found `1.5`; {SAMPLES}"),
        ("measure: {processes: 101}\n", f"3:22: found `101`; {PROCESSES}"),
        ("measure: {processes: true}\n", f"3:22: found `true`; {PROCESSES}"),
        ("measure: {precision: 1_0%}\n", f"3:22: found `1_0%`; {PRECISIONS}"),
        ("measure: {precision: \u0661%}\n", f"3:22: found `\u0661%`; {PRECISIONS}"),
        (
            "defaults: {launch: {grid: [" + "sms, " * 63 + "sms], block: [" + "32, " * 31 + "32]}}\n",
            "3:20: found a mapping; allowed: at most 2000 launches",
        ),
    ],
)
def test_defaults_and_measuring_rules_are_checked(folder: Folder, text: str, message: str) -> None:
    assert folder.refusal_of(text + RING) == f"demo.yaml:{message}"


def test_an_experiment_is_a_mapping_that_names_its_pattern(folder: Folder) -> None:
    keys = "pattern, variants, dtypes, launch, iterations, skip"
    assert folder.refusal_of("experiments:\n  - ./ring\n  - {launch: 1x32}\n  - pattern: [a]\n") == (
        f"demo.yaml:4:5: found `./ring`; allowed: a mapping with the keys {keys}\n"
        "demo.yaml:5:5: missing key `pattern`; needed: a pattern that comes with shflbench, or the folder of "
        "your own pattern relative to this file, such as `./my_exchange`\n"
        "demo.yaml:6:14: found a list; allowed: the name of a pattern, or a folder such as `./my_exchange`"
    )


def test_measuring_rules_have_defaults(folder: Folder) -> None:
    rules = folder.load("schema: 1\nname: a\n" + RING).rules
    assert (rules.precision, rules.max_seconds, rules.processes) == (0.005, 2.0, 1)


@pytest.mark.parametrize("precision", ["2%", "2.0%", "0.02", "2e-2"])
def test_a_precision_is_a_percentage_or_a_fraction(folder: Folder, precision: str) -> None:
    suite = folder.load(f"schema: 1\nname: a\nmeasure: {{precision: {precision}, max_seconds: 1}}\n" + RING)
    assert (suite.rules.precision, suite.rules.max_seconds) == (0.02, 1)


def test_a_number_as_long_as_the_file_is_refused_at_once(folder: Folder) -> None:
    begin = time.process_time()
    assert folder.refusal_of(f"measure: {{precision: {'9' * 50_000}x}}\n" + RING).startswith("demo.yaml:3:22: found ")
    assert time.process_time() - begin < 2  # reading each digit as the first of a fraction took 10 s


def test_every_field_has_a_description() -> None:
    fields = [(section, name) for section, model in SECTIONS.items() for name in model.model_fields]
    silent = [(section, name) for section, name in fields if not SECTIONS[section].model_fields[name].description]
    assert len(fields) > len(SECTIONS)
    assert silent == []


def test_every_mapping_of_the_file_has_its_section() -> None:
    def models(annotation: Any) -> Iterator[type[BaseModel]]:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
            for field in annotation.model_fields.values():
                yield from models(field.annotation)
        for argument in get_args(annotation):
            yield from models(argument)

    assert set(models(SuiteFile)) == set(SECTIONS.values())


def test_the_json_schema_describes_and_refuses_values() -> None:
    schema = json_schema()
    definitions = schema["$defs"]
    assert json.loads(json.dumps(schema)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["schema", "name", "experiments"]
    assert schema["additionalProperties"] is False
    assert definitions["Measure"]["properties"]["max_seconds"]["exclusiveMinimum"] == 0
    assert definitions["Defaults"]["properties"]["dtypes"]["anyOf"][0]["enum"] == list(DTYPES)
    patterns, own_folder = definitions["Experiment"]["properties"]["pattern"]["anyOf"]
    assert patterns["enum"] == list(builtin())
    assert own_folder["pattern"] == r"^\.|/"

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.core.model import DeviceState, Noise, Overrides
from shflbench.core.thresholds import Thresholds
from shflbench.errors import ResultsError
from shflbench.store import RunFolder, RunInfo, RunSettings, SentinelSet, read_info
from shflbench.store.columns import SCHEMA
from shflbench.store.keys import KEYS
from shflbench.store.provenance import Conversion, ConvertedProcess, SuiteRevision
from tests.fakes.runs import H200, info

FILE = Path("run/run.json")
OLDER = Path(__file__).parents[1] / "data" / "runs" / "quick-of-0.1.0"
# Keys that the first files of schema 1 lack.
LATER = ("others_after", "noise", "sentinels", "thresholds", "waits_for_memory", "converted", "revision")
NEW_KEYS = (
    '      "memory_bus_bits": null,\n',
    '    "places": null,\n',
    ',\n    "cccl": null',
    ',\n  "waits_for_memory": null',
    ',\n  "converted": null',
    ',\n    "compiler_build": null',
    ',\n  "revision": null',
)  # which runs before 0.3.0 lack
STATE = DeviceState(
    pci_bus="00000000:00:06.0",
    l2_bytes=62_914_560,
    max_memory_clock_mhz=3201,
    memory_bus_bits=6144,
    application_clock_mhz=1980,
    application_memory_clock_mhz=3201,
    ecc=True,
    mig=False,
    persistence=True,
    compute_mode="default",
    power_limit_w=699.5,
    memory_used_bytes=644_939_776,
    other_processes=2,
)
NOISE = Noise("busy GPU", "2 other processes computed on the GPU", "measure again alone")
THRESHOLDS = Thresholds.parse(["1%", "neighbor/*=0.2us"])
CONVERTED = Conversion("nvbench", "0.1.0", (ConvertedProcess("base/1.json", 64 * "0", None, "node-1"),))


def full() -> RunInfo:
    """Return a finished run with every key filled in."""
    about = info(device=replace(H200, state=STATE))
    versions = replace(about.versions, source="8c5813feae41862f")
    sentinels = SentinelSet("1")
    return replace(
        about,
        versions=versions,
        others_after=1,
        noise=NOISE,
        sentinels=sentinels,
        thresholds=THRESHOLDS,
        waits_for_memory=("memory-ladder/l2",),
        converted=CONVERTED,
        revision=SuiteRevision(40 * "0", dirty=False),
    )


def keys(part: object, where: str = "") -> Iterator[str]:
    """Yield the keys of all objects in a JSON text, joined by dots, but for what stands under one known by name."""
    if isinstance(part, dict) and where not in {"settings", "sentinels", "thresholds"}:
        for key, value in part.items():
            yield from keys(value, f"{where}.{key}" if where else key)
    else:
        yield where


def without_new_keys(text: str) -> str:
    for key in NEW_KEYS:
        text = text.replace(key, "")
    return text


def edited(*path: str, value: object) -> str:
    """Return the JSON of a run with one value replaced."""
    content = json.loads(full().to_json())
    part: Any = content
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    "about",
    [
        info(),
        full(),
        info(device=None, backend="none"),
        replace(
            info(), finished="2026-11-20T08:00:30Z", resumed=("2026-11-20T08:00:10Z",), notes=("clock not steady",)
        ),
    ],
    ids=["gpu", "all", "no-gpu", "finished"],
)
def test_a_run_comes_back_as_it_was_written(about: RunInfo) -> None:
    assert RunInfo.from_json(about.to_json(), FILE) == about


def test_the_suite_is_kept_verbatim_with_its_hash() -> None:
    suite = json.loads(info().to_json())["suite"]
    assert suite["text"].startswith("schema: 1\nname: gtc2013\n")
    assert suite["sha256"] == "699598fc5e03fc0d5c2ee2558a0aea53ff4ec849c42af16060adcf6f72f4820a"


def test_every_setting_is_kept_verbatim() -> None:
    settings = RunSettings(precision=0.002, sms=132, overrides=Overrides(variants=("shfl",), iterations=(7,)))
    about = replace(info(), settings=settings)
    assert RunInfo.from_json(about.to_json(), FILE).settings == settings


def test_a_newer_schema_is_refused_with_the_way_out() -> None:
    with pytest.raises(ResultsError, match=rf"run\.json has schema {SCHEMA + 1}") as caught:
        RunInfo.from_json(edited("schema", value=SCHEMA + 1), FILE)
    assert "a newer version of shflbench" in caught.value.advice


@pytest.mark.parametrize("key", [key for key in json.loads(info().to_json()) if key not in LATER])
def test_a_missing_key_is_named(key: str) -> None:
    content = json.loads(full().to_json())
    del content[key]
    with pytest.raises(ResultsError) as caught:
        RunInfo.from_json(json.dumps(content), FILE)
    assert caught.value.message == f"{FILE}: `{key}` is missing"


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("schema",), "1", '`schema` is "1", not an integer'),
        (("device", "sms"), True, "`device.sms` is true, not an integer"),
        (("suite", "name"), 3, "`suite.name` is 3, not a text"),
        (("suite", "name"), "../x", "`suite.name` is '../x', not the name of a suite"),
        (("suite",), [], "`suite` is [], not an object"),
        (("argv",), ["run", 1], "`argv.1` is 1, not a text"),
        (("argv",), "run", '`argv` is "run", not a list'),
        (("versions", "git_dirty"), "no", '`versions.git_dirty` is "no", not true, false or null'),
        (("finished",), 0, "`finished` is 0, not a text"),
        (("versions", "source"), 8, "`versions.source` is 8, not a text"),
        (("device", "state"), "quiet", '`device.state` is "quiet", not an object'),
        (("device", "state", "pci_bus"), 6, "`device.state.pci_bus` is 6, not a text"),
        (("device", "state", "l2_bytes"), 1.5, "`device.state.l2_bytes` is 1.5, not an integer"),
        (("device", "state", "ecc"), 1, "`device.state.ecc` is 1, not true, false or null"),
        (("device", "state", "power_limit_w"), "700", '`device.state.power_limit_w` is "700", not a number'),
        (("device", "state", "power_limit_w"), True, "`device.state.power_limit_w` is true, not a number"),
        (("others_after",), "1", '`others_after` is "1", not an integer'),
        (("noise",), "quiet", '`noise` is "quiet", not an object'),
        (("noise", "advice"), None, "`noise.advice` is null, not a text"),
        (("sentinels",), [1], "`sentinels` is [1], not an object"),
        (("settings", "precision"), "1 %", '`settings.precision` is "1 %", not a number'),
        (
            ("settings", "overrides", "iterations"),
            [7, "a"],
            '`settings.overrides.iterations.1` is "a", not an integer',
        ),
        (("thresholds", "all", "unit"), "s", "`thresholds.all.unit` is \"s\": Input should be 'fraction' or 'us'"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(path: tuple[str, ...], value: object, sentence: str) -> None:
    with pytest.raises(ResultsError) as caught:
        RunInfo.from_json(edited(*path, value=value), FILE)
    assert caught.value.message == f"{FILE}: {sentence}"


def test_a_noise_verdict_without_its_sentence_is_damaged() -> None:
    with pytest.raises(ResultsError) as caught:
        RunInfo.from_json(edited("noise", value={"verdict": "busy GPU", "advice": ""}), FILE)
    assert caught.value.message == f"{FILE}: `noise.sentence` is missing"


def test_a_run_of_an_earlier_version_is_read_with_what_it_does_not_say_unknown() -> None:
    content = json.loads(full().to_json())
    for key in LATER:
        del content[key]
    del content["versions"]["source"]
    del content["device"]["state"]
    old = RunInfo.from_json(json.dumps(content), FILE)
    assert (old.others_after, old.noise, old.sentinels, old.versions.source) == (None, None, None, None)
    assert old.device == H200
    assert H200.state == DeviceState()


@pytest.mark.parametrize("key", DeviceState.__slots__)
def test_a_state_that_lacks_a_key_is_read_without_it(key: str) -> None:
    content = json.loads(full().to_json())
    del content["device"]["state"][key]
    device = RunInfo.from_json(json.dumps(content), FILE).device
    assert device is not None
    assert device.state == replace(STATE, **{key: None})


@pytest.mark.parametrize("path", sorted(Path("results").glob("*/nvidia-h200/run.json")), ids=str)
def test_committed_runs_are_read_and_written_as_they_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    about = RunInfo.from_json(text, path)
    assert about.finished
    assert without_new_keys(about.to_json()) == without_new_keys(text)


def test_run_of_version_0_1_is_read_without_the_thresholds_that_it_did_not_record() -> None:
    path = OLDER / "run.json"
    text = path.read_text(encoding="utf-8")
    about = RunInfo.from_json(text, path)
    assert about.versions.shflbench == "0.1.0"
    rewritten = without_new_keys(about.to_json())
    assert rewritten == text.removesuffix("\n}\n") + ',\n  "thresholds": null\n}\n'


def test_a_run_has_the_thresholds_that_it_recorded_and_an_older_one_those_of_its_suite() -> None:
    suite = replace(full().suite, text="schema: 1\nname: gtc2013\ncompare: {threshold: 2%}\n")
    new, old = (replace(full(), suite=suite, thresholds=recorded) for recorded in (THRESHOLDS, None))
    assert RunInfo.from_json(new.to_json(), FILE).thresholds_in_force == THRESHOLDS
    assert RunInfo.from_json(old.to_json(), FILE).thresholds_in_force == Thresholds.parse(["2%"])


def test_every_key_is_in_the_reference() -> None:
    assert list(KEYS) == list(keys(json.loads(full().to_json())))


def test_the_end_of_a_run_is_kept_with_what_was_found_out_about_the_gpu(tmp_path: Path) -> None:
    folder = RunFolder.create_at(replace(info(), notes=("warm",)), tmp_path / "run")
    folder.finish("2026-11-20T08:00:30Z", ["steady"], others_after=0, noise=NOISE, sentinels=SentinelSet(None))
    about = read_info(tmp_path / "run")
    assert (about.finished, about.notes) == ("2026-11-20T08:00:30Z", ("warm", "steady"))
    assert (about.others_after, about.noise, about.sentinels) == (0, NOISE, SentinelSet(None))


def test_an_edited_suite_text_is_noticed() -> None:
    with pytest.raises(ResultsError, match="does not match its hash"):
        RunInfo.from_json(edited("suite", "text", value="schema: 1\n"), FILE)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [('{"schema": 1,', r"run\.json:1:14: not JSON"), ("[1]", "not a JSON object"), ("run", "not JSON")]
    + [(character * 100_000, r"run\.json is damaged: ") for character in "[9"],
    ids=["cut off", "list", "word", "brackets", "digits"],
)
def test_broken_json_names_the_file_and_place(text: str, sentence: str) -> None:
    with pytest.raises(ResultsError, match=sentence):
        RunInfo.from_json(text, FILE)

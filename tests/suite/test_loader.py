from pathlib import Path

import pytest

from shflbench.core.model import MeasureRules
from shflbench.patterns.discover import builtin
from shflbench.suite import find_shipped, load
from shflbench.suite.problems import MAX_REPORTED
from tests.suite.conftest import Folder


def test_a_suite_carries_its_text_path_title_and_folders(folder: Folder) -> None:
    text = (
        "schema: 1 # the text is kept verbatim\nname: demo\ntitle: Which is faster?\n"
        "measure: {precision: 1%, max_seconds: 3}\nexperiments: [{pattern: ./ring, launch: 1x32}]\n"
    )
    suite = folder.load(text)
    assert (suite.name, suite.title, suite.path, suite.text) == ("demo", "Which is faster?", Path("demo.yaml"), text)
    assert suite.rules == MeasureRules(precision=0.01, max_seconds=3, processes=1)
    assert suite.pattern_folders == {"ring": Path("ring").resolve()}


def test_a_suite_without_a_title_is_called_by_its_name(folder: Folder) -> None:
    assert folder.load("schema: 1\nname: demo\nexperiments: [{pattern: ./ring, launch: 1x32}]\n").title == "demo"


def test_a_pattern_folder_is_relative_to_the_suite_file(folder: Folder) -> None:
    del folder
    Path("deep").mkdir()
    Path("deep/demo.yaml").write_text("schema: 1\nname: a\nexperiments: [{pattern: ../ring, launch: 1x32}]\n")
    assert load(Path("deep/demo.yaml")).pattern_folders == {"ring": Path("ring").resolve()}


def test_all_problems_are_reported_in_the_order_of_the_file(folder: Folder) -> None:
    text = (
        "schema: 1\n"
        "name: demo\n"
        "tilte: a\n"
        "defaults: {iterations: many}\n"
        "experiments:\n"
        "  - pattern: ./ring\n"
        "    variants:\n"
        "      - shfl\n"
        "      - smem_unsafe\n"
        "    dtypes: f23\n"
        "  - pattern: nieghbor\n"
        "    iterations: -1\n"
        "  - pattern: nieghbor\n"
        "measure: {processes: 400}\n"
    )
    assert folder.refusal(text).splitlines() == [
        (
            "demo.yaml:3:1: unknown key `tilte`; allowed: schema, name, title, defaults, measure, "
            "compare, experiments, charts, claims; did you mean `title`?"
        ),
        "demo.yaml:4:24: found `many`; allowed: an integer from 1 to 2147483647",
        (
            "demo.yaml:9:9: unknown variant `smem_unsafe`; allowed: smem, smem-unsafe, shfl, match; "
            "did you mean `smem-unsafe`?"
        ),
        "demo.yaml:10:13: unknown dtype `f23`; allowed: f32, i32; did you mean `f32`?",
        "demo.yaml:12:17: found `-1`; allowed: an integer from 1 to 2147483647",
        (
            f"demo.yaml:13:14: unknown pattern `nieghbor`; allowed: {', '.join(builtin())}, "
            "or a folder such as `./my_exchange`; did you mean `neighbor`?"
        ),
        "demo.yaml:14:22: found `400`; allowed: an integer from 1 to 100",
    ]


def test_words_from_anchors_and_merges_are_checked_at_their_position(folder: Folder) -> None:
    text = (
        "schema: 1\n"
        "name: demo\n"
        "experiments:\n"
        "  - &first {pattern: ./ring, launch: 1x32, variants: [shfl]}\n"
        "  - {<<: *first, variants: [smem]}\n"
        "  - {<<: *first, variants: [smme]}\n"
    )
    assert folder.refusal(text) == (
        "demo.yaml:6:29: unknown variant `smme`; allowed: smem, smem-unsafe, shfl, match; did you mean `smem`?"
    )


def test_values_from_a_merge_have_the_position_of_their_origin(folder: Folder) -> None:
    text = (
        "schema: 1\n"
        "name: demo\n"
        "experiments:\n"
        "  - &first\n"
        "    pattern: ./ring\n"
        "    launch: 1x32\n"
        "    variants: [smme]\n"
        "  - {<<: *first, dtypes: f32}\n"
        "  - {<<: [{launch: 2x32, dtypes: f99}, *first], variants: smem}\n"
    )
    assert [line.split(";")[0] for line in folder.refusal(text).splitlines()] == [
        "demo.yaml:7:16: unknown variant `smme`",  # once, though two experiments have it
        "demo.yaml:9:34: unknown dtype `f99`",
    ]


def test_only_the_first_of_many_problems_are_reported(folder: Folder) -> None:
    keys = "".join(f"k{number}: 1\n" for number in range(100))
    *first, last = folder.refusal(
        f"schema: 1\nname: a\n{keys}experiments: [{{pattern: ./ring, launch: 1x32}}]\n"
    ).splitlines()
    assert len(first) == MAX_REPORTED
    assert last == "demo.yaml:33:1: 70 more from here on; fix those above first"


def test_the_first_line_of_a_shipped_suite_is_its_question() -> None:
    for path in find_shipped().values():
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("# ")
        assert "?" in first
        assert "# Source: " in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", find_shipped())
def test_a_shipped_suite_has_the_name_of_its_file_and_compares_variants(name: str) -> None:
    suite = load(find_shipped()[name])
    assert suite.name == name
    assert set(suite.pattern_folders) <= set(builtin())
    variants: dict[str, list[str]] = {}
    for case in suite.cases:
        variants.setdefault(case.group, []).append(case.variant)
    assert max(map(len, variants.values())) > 1


def test_gtc2013_has_both_benchmarks_of_the_deck_at_its_launch() -> None:
    cases = {case.id for case in load(find_shipped()["gtc2013"]).cases}
    assert {
        "neighbor/smem/f32/26x1024/4096/mode=idx",
        "neighbor/shfl/f64/26x1024/4096/mode=idx",
        "reduce/smem/i32/26x1024/4096/width=32",
        "reduce/redux/i32/26x1024/4096/width=32",
    } <= cases

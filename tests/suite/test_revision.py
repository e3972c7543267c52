"""The copy of a suite in a run, read without its file and its patterns."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from shflbench.suite import find_shipped
from shflbench.suite.document import MAX_BYTES
from shflbench.suite.revision import same_measurements, thresholds_of
from shflbench.thresholds import Special, Threshold, Thresholds
from tests.suite.hostile import HEADS, VALUES
from tests.suite.mutations import mutant, originals

SUITE = (
    "schema: 1\nname: demo\ntitle: Which?\nmeasure: {precision: 1%, max_seconds: 2}\n"
    "experiments: [{pattern: ./gone, launch: 1x32, variants: [smem, shfl]}]\n"
)
COMPARE = "compare: {threshold: 1%, cases: {pattern: gone, variant: shfl, threshold: 0.2us}}\n"
THRESHOLDS = Thresholds(Threshold(0.01), (Special(Threshold(0.2, "us"), pattern="gone", variant="shfl"),))
FILES = 200  # that are changed at random; IN_EVERY_RUN of them in `make test`, all in `make test-archs`
IN_EVERY_RUN = 50
MOST_SECONDS = 3.0  # of one text, on a slow machine; here the slowest takes 0.7


def test_thresholds_are_read_from_a_text_whose_patterns_no_longer_exist() -> None:
    assert thresholds_of(SUITE + COMPARE) == THRESHOLDS


@pytest.mark.parametrize(
    "key",
    [
        *("'compare': ", '"compare": ', "compare : ", "? compare\n: ", "? compare # which?\n: ", '"\\x63ompare": '),
        *("? 'compare'\n# which?\n: ", "? |-\n  compare\n: ", "&key compare: ", "<<: &all\n  compare: "),
    ],
)
def test_thresholds_are_read_for_every_spelling_of_their_key(key: str) -> None:
    assert thresholds_of(SUITE + COMPARE.replace("compare: ", key)) == THRESHOLDS


@pytest.mark.parametrize(
    "text",
    [
        SUITE,
        SUITE + "# compare: {threshold: 1%}\n",
        SUITE + "compare: {}\n",
        SUITE + "compare:\n",
        SUITE + "compare: {threshold: 1}\n",
        SUITE + "compare: {threshold: 1%, quantile: 0.9}\n",  # a later shflbench may know this
        (SUITE + COMPARE).replace("schema: 1", "schema: 2"),
        (SUITE + COMPARE).replace("schema: 1\n", ""),
        SUITE + COMPARE + "[",
        SUITE + COMPARE + COMPARE,
        "compare: [",
        "[compare: 1]",
        SUITE + COMPARE + "#" * MAX_BYTES,
    ],
)
def test_a_text_of_an_unknown_version_sets_no_thresholds(text: str) -> None:
    assert thresholds_of(text) == Thresholds()


def test_a_text_without_thresholds_is_read_without_a_parser() -> None:
    command = (
        "import sys; from shflbench.suite.revision import same_measurements, thresholds_of; text = sys.stdin.read(); "
        "thresholds_of(text); same_measurements(text, text); print({'pydantic', 'ruamel'} & set(sys.modules))"
    )
    for path in find_shipped().values():
        with path.open() as text:
            done = subprocess.run([sys.executable, "-c", command], stdin=text, check=True, capture_output=True)
        assert done.stdout == b"set()\n", path


@pytest.mark.parametrize(
    "other",
    [
        SUITE,
        SUITE + COMPARE,
        SUITE.replace("Which?", "Which one?"),
        SUITE.replace("title: Which?\n", ""),
        "# Why?\n" + SUITE.replace("1x32,", "1x32,   ").replace("\n", "  # how\n"),
        SUITE.replace("{precision: 1%, max_seconds: 2}", "\n  max_seconds: 2.0\n  precision: '1%'"),
        "".join(sorted(SUITE.splitlines(keepends=True))),
        SUITE.replace("experiments: [{", "experiments:\n - {").replace("}]", "}"),
    ],
)
def test_title_comments_layout_and_thresholds_change_no_measurement(other: str) -> None:
    assert same_measurements(SUITE, other)
    assert same_measurements(other, SUITE)


@pytest.mark.parametrize(
    "other",
    [
        SUITE.replace("demo", "demo2"),
        SUITE.replace("1%", "2%"),
        SUITE.replace("1x32", "2x32"),
        SUITE.replace("[smem, shfl]", "[shfl, smem]"),  # another order of the variants
        SUITE.replace(", variants: [smem, shfl]", ""),
        SUITE + "defaults: {iterations: 7}\n",
        SUITE + "# a comment that ends\n[",
        "",
    ],
)
def test_every_other_change_is_a_different_measurement(other: str) -> None:
    assert not same_measurements(SUITE, other)
    assert not same_measurements(other, SUITE)


@pytest.mark.parametrize("text", ["", "[", "gtc2013", "- a", "\ud800", "\x00", "&a [*a]", SUITE + "#" * MAX_BYTES])
def test_a_text_that_is_not_a_suite_is_the_same_only_as_itself(text: str) -> None:
    assert same_measurements(text, text)
    assert not same_measurements(text, text + "\n# changed\n")


def changed(numbers: range) -> list[str]:
    texts = originals()
    return [mutant(number, texts).data.decode(errors="surrogateescape") for number in numbers]


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(lambda: changed(range(IN_EVERY_RUN)), id="changed"),
        pytest.param(lambda: changed(range(IN_EVERY_RUN, FILES)), id="more changed", marks=pytest.mark.archs),
        pytest.param(lambda: [f"{SUITE}compare: {value}\n" for value in VALUES], id="values"),
        pytest.param(lambda: [f"{head}{SUITE}{COMPARE}" for head in HEADS], id="heads"),
    ],
)
def test_no_text_stops_or_stalls_the_reader(texts: Callable[[], list[str]]) -> None:
    for text in texts():
        begin = time.process_time()
        assert isinstance(thresholds_of(f"compare: {{threshold: 1%}}\n{text}"), Thresholds)
        assert same_measurements(text, SUITE) in {True, False}
        assert time.process_time() - begin < 2 * MOST_SECONDS


def test_some_changed_suites_keep_their_thresholds() -> None:
    found = [
        thresholds_of(f"{COMPARE}{mutant(number, (SUITE,)).data.decode(errors='replace')}") for number in range(99)
    ]
    assert {True, False} == {thresholds == THRESHOLDS for thresholds in found}

"""The copy of a suite in a run, read without its file and its patterns."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from shflbench.core.claims.claim import Claim
from shflbench.core.claims.expression import Call
from shflbench.core.thresholds import Special, Threshold, Thresholds
from shflbench.errors import SuiteError
from shflbench.suite import find_shipped, load
from shflbench.suite.document import MAX_BYTES
from shflbench.suite.revision import claims_of, patterns_by_folder, same_measurements, thresholds_of
from tests.suite.hostile import HEADS, VALUES
from tests.suite.mutations import mutant, originals

SUITE = (
    "schema: 1\nname: demo\ntitle: Which?\nmeasure: {precision: 1%, max_seconds: 2}\n"
    "experiments: [{pattern: ./gone, launch: 1x32, variants: [smem, shfl]}]\n"
)
COMPARE = "compare: {threshold: 1%, cases: {pattern: gone, variant: shfl, threshold: 0.2us}}\n"
THRESHOLDS = Thresholds(Threshold(0.01), (Special(Threshold(0.2, "us"), pattern="gone", variant="shfl"),))
FILES = 200  # that are changed at random; IN_EVERY_RUN of them in `make test`, all in `make test-archs`
IN_EVERY_RUN = 30
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


CLAIMS = (
    "claims:\n  - {id: a, says: b, where: {pattern: gone, launch: 1 x 32, mode: up}, holds: verified(shlf)}\n"
    "  - {id: c, says: d, untestable: e}\n"
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("experiments:\n  - pattern: ./my_vote\n  - {pattern: reduce}\n", {"my-vote"}),
        ("experiments: {pattern: ../lib/vote/}\n", {"vote"}),
        ("experiments: reduce\n", set()),
        ("{", set()),
    ],
)
def test_patterns_in_folders_of_a_suite_are_known_from_its_text(text: str, names: set[str]) -> None:
    assert patterns_by_folder(text) == names


def test_claims_are_read_from_a_text_whose_patterns_no_longer_exist() -> None:
    assert claims_of(SUITE + CLAIMS) == (
        Claim(
            id="a",
            says="b",
            where={"pattern": ("gone",), "launch": ("1x32",), "mode": ("up",)},
            holds=Call("verified", ("shlf",)),
            text="verified(shlf)",
        ),
        Claim(id="c", says="d", untestable="e"),
    )


@pytest.mark.parametrize("path", find_shipped().values(), ids=lambda path: path.stem)
def test_the_claims_of_a_stored_suite_are_those_of_the_loaded_one(path: Path) -> None:
    suite = load(path)
    assert claims_of(suite.text) == (suite.claims or None)


@pytest.mark.parametrize(
    "text",
    [
        *(SUITE, SUITE + "# claims: [{id: a}]\n", (SUITE + CLAIMS).replace("schema: 1", "schema: 2"), "claims: [", ""),
        *(
            (SUITE + CLAIMS).replace("schema: 1\n", ""),
            SUITE + CLAIMS + "[",
            SUITE + CLAIMS + "#" * MAX_BYTES,
            "claims:",
        ),
    ],
)
def test_a_text_without_claims_of_a_known_version_has_none(text: str) -> None:
    assert claims_of(text) is None


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        (
            "",
            "line 6, column 1: found nothing; allowed: a mapping with the keys id, says, source, figure, where, ",
        ),
        ("[]", "line 6, column 9: found an empty list; allowed: at least one value"),
        (
            "{id: a, says: b}",
            "line 6, column 9: missing key `holds`; needed: the condition to test, or `untestable` with",
        ),
        ("{id: a, says: b, holds: verified(a) > 1}", "line 6, column 47: found a number, compared with a truth "),
        ("[{id: a, says: b, untestable: c}, {id: a, says: 1}]", "line 6, column 57: found `1`; allowed: one line of "),
        (
            "{id: a, says: b, untestable: c, cluster: 1}",
            "line 6, column 41: unknown key `cluster`; allowed: id, says, ",
        ),
    ],
)
def test_an_invalid_section_is_one_sentence(claims: str, sentence: str) -> None:
    with pytest.raises(SuiteError) as error:
        claims_of(f"{SUITE}claims: {claims}\n")
    assert error.value.message.startswith(f"the stored suite has invalid claims: {sentence}")
    assert error.value.message.isprintable()
    assert error.value.advice == "Give a suite with valid claims: `--suite FILE`."


def test_claims_change_no_measurement() -> None:
    assert same_measurements(SUITE, SUITE + CLAIMS)
    assert same_measurements(SUITE + CLAIMS.replace("verified", "not verified"), SUITE + CLAIMS)


def hostile_claims() -> list[str]:
    forms = (
        "claims: {value}\n",
        "claims: {{id: a, says: b, holds: {value}}}\n",
        "claims: {{id: a, says: b, holds: verified(c), where: {value}}}\n",
    )
    texts = [SUITE + form.format(value=value) for form in forms for value in VALUES]
    return [*texts, *(f"{head}{SUITE}{CLAIMS}" for head in HEADS)]


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(lambda: changed(range(0, IN_EVERY_RUN, 5)), id="changed"),
        pytest.param(lambda: changed(range(FILES)), id="more changed", marks=pytest.mark.archs),
        pytest.param(lambda: hostile_claims()[::7], id="hostile"),
        pytest.param(hostile_claims, id="more hostile", marks=pytest.mark.archs),
    ],
)
def test_no_text_stops_or_stalls_the_reader_of_claims(texts: Callable[[], list[str]]) -> None:
    for text in texts():
        begin = time.process_time()
        with suppress(SuiteError):
            claims = claims_of(text)
            assert claims is None or all(isinstance(claim, Claim) for claim in claims)
        assert time.process_time() - begin < MOST_SECONDS

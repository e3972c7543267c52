"""The page on the advice on programs of strangers, and on public questions."""

import pytest

from benchmarks.file_advice.kernels import (
    FOLDER,
    PAGE,
    QUESTIONS,
    Compared,
    Outcome,
    Truth,
    compare,
    kernels_page,
    questions,
    results,
    truths,
)


def test_the_page_is_that_of_the_files() -> None:
    assert PAGE.read_text(encoding="utf-8") == kernels_page()


def test_each_truth_is_of_a_line_of_a_program() -> None:
    for truth in truths():
        lines = (FOLDER / truth.file).read_text(encoding="utf-8").splitlines()
        assert 0 < truth.line <= len(lines)
        assert 0 <= truth.load <= len(lines)


def test_no_wrong_suggestion_remains() -> None:
    assert {item.outcome for item in compare(results("again"), truths())}.isdisjoint({Outcome.WRONG})


def test_each_question_has_a_program() -> None:
    assert {item.file for item in questions()} == {path.name for path in QUESTIONS.glob("*.cu")}


@pytest.mark.parametrize(
    ("answer", "need", "proved", "outcome"),
    [
        ("needed", "needed", False, Outcome.RIGHT),
        ("needed", "not needed", True, Outcome.WRONG),
        ("needed", "__syncwarp() is enough", False, Outcome.LIMITED),
        ("syncwarp", "not needed", True, Outcome.WRONG),
        ("syncwarp", "__syncwarp() is enough", True, Outcome.NAMED),
        ("not needed", "__syncwarp() is enough", True, Outcome.LESS),
        ("not needed", "not enough evidence", False, Outcome.NONE),
    ],
)
def test_an_answer_on_a_barrier_is_compared_with_that_of_the_author(
    answer: str, need: str, outcome: Outcome, *, proved: bool
) -> None:
    barrier = {"line": "a.cu:7", "need": need, "reason": "", "proved": proved}
    assert _outcome(Truth("set/a.cu", "k", "barrier", 7, 0, answer, ""), {"barriers": [barrier]}) is outcome


@pytest.mark.parametrize(
    ("answer", "instead", "proved", "outcome"),
    [
        ("own", "", False, Outcome.RIGHT),
        ("no", "__shfl_xor_sync(mask, value, 1)", True, Outcome.WRONG),
        ("part", "__shfl_xor_sync(mask, value, 1)", True, Outcome.WRONG),
        ("part", "__shfl_down_sync(mask, value, {2, 1}) where it stays in a warp", False, Outcome.NAMED),
        ("no", "__shfl_xor_sync(mask, value, 1)", False, Outcome.LIMITED),
        ("shuffle", "__shfl_xor_sync(mask, value, 1)", False, Outcome.NAMED),
        ("shuffle", "", False, Outcome.NONE),
    ],
)
def test_an_answer_on_an_exchange_is_compared_with_that_of_the_author(
    answer: str, instead: str, outcome: Outcome, *, proved: bool
) -> None:
    exchange = {"store": "a.cu:3", "load": "a.cu:5", "instead": instead, "reason": "", "proved": proved}
    assert _outcome(Truth("set/a.cu", "k", "exchange", 3, 5, answer, ""), {"exchanges": [exchange]}) is outcome


def _outcome(truth: Truth, kernel: dict[str, object]) -> Outcome:
    record = {"file": "set/a.cu", "kernels": [{"barriers": [], "exchanges": [], **kernel}]}
    (compared,) = compare([record], [truth])
    assert isinstance(compared, Compared)
    return compared.outcome

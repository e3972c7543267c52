import pytest

from shflbench.core.model import Disturbance, Trouble
from shflbench.core.words import percent_of_one
from shflbench.session.disturbances import MANY, disturbance_sentences


def trouble(kind: Disturbance, size: float) -> Trouble:
    return Trouble(kind, size, f"it has {kind} of {size}", f"do something about {kind}")


DRIFT, LARGE_DRIFT = (trouble(Disturbance.DRIFT, size) for size in (0.004, 0.014))
NONLINEAR = trouble(Disturbance.NONLINEAR, 0.02)


def test_trouble_smaller_than_the_precision_has_no_warning() -> None:
    assert list(disturbance_sentences({"a": (DRIFT,), "b": (LARGE_DRIFT,)}, 0.005)) == list(
        disturbance_sentences({"b": (LARGE_DRIFT,)}, 0.005)
    )
    assert list(disturbance_sentences({"a": (DRIFT,)}, 0.005)) == []


def test_quiet_cases_have_no_warning() -> None:
    assert list(disturbance_sentences({}, 0.004)) == []
    assert list(disturbance_sentences({"a": ()}, 0.004)) == []


def test_warning_of_one_case_is_its_own_sentence() -> None:
    assert list(disturbance_sentences({"a": (DRIFT,)}, 0.004)) == ["a: it has drift of 0.004; do something about drift"]


def test_cases_with_the_same_trouble_share_a_sentence_that_names_the_worst() -> None:
    assert list(disturbance_sentences({"a": (DRIFT,), "b": (LARGE_DRIFT,), "c": (DRIFT,)}, 0.004)) == [
        "the times of 3 cases drifted by up to 1.4%, worst in b; do something about drift"
    ]


def test_each_kind_has_a_sentence_of_its_own() -> None:
    found = list(disturbance_sentences({"a": (DRIFT, NONLINEAR), "b": (LARGE_DRIFT,)}, 0.004))
    assert [sentence.rsplit("; ", 1)[1] for sentence in found] == [
        "do something about drift",
        "do something about nonlinear",
    ]
    assert found[1].startswith("a: it has nonlinear")


@pytest.mark.parametrize("kind", Disturbance)
def test_every_kind_has_a_sentence_for_many_cases(kind: Disturbance) -> None:
    (sentence,) = disturbance_sentences({"a": (trouble(kind, 0.01),), "b": (trouble(kind, 0.02),)}, 0.004)
    assert sentence == f"{MANY[kind].format(cases=2, size='2%')}, worst in b; do something about {kind}"
    assert "2 cases" in sentence


@pytest.mark.parametrize(("share", "text"), [(0.0031, "0.31%"), (0.12, "12%"), (1.0, "100%"), (2.5, "250%")])
def test_size_has_two_digits(share: float, text: str) -> None:
    assert percent_of_one(share) == text

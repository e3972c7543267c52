from __future__ import annotations

from dataclasses import replace

import pytest

from shflbench.analysis.compare.noise import NoiseModel, Weights
from shflbench.analysis.compare.rule import Contrast, Finding, judge
from shflbench.analysis.compare.verdict import Outcome, Reason
from shflbench.analysis.compare.wild import judge_robustly, without_wild
from tests.fakes.estimated import estimated

QUIET = NoiseModel(0.01, 0.0, "of the test")
AGREEING = (10.0, 10.005, 9.995)
SLOWER = tuple(1.02 * value for value in AGREEING)
WITH_WILD = (10.0, 10.005, 10.45)


def contrast(base: tuple[float, ...], new: tuple[float, ...]) -> Contrast:
    before, after = estimated(*base), estimated(*new)
    return Contrast("case", before, after, Weights(1.0, 100.0), 0.01, 0.01)


def judged(base: tuple[float, ...], new: tuple[float, ...]) -> Finding:
    (found,) = judge_robustly([contrast(base, new)], QUIET)
    return found


@pytest.mark.parametrize(
    ("base", "new", "outcome"),
    [
        (WITH_WILD, SLOWER, Outcome.SLOWER),
        (SLOWER, WITH_WILD, Outcome.FASTER),
        (AGREEING, (10.2, 10.205, 10.65), Outcome.SLOWER),
    ],
)
def test_a_wild_process_on_either_side_does_not_hide_a_change(
    base: tuple[float, ...], new: tuple[float, ...], outcome: Outcome
) -> None:
    (hidden,) = judge([contrast(base, new)], QUIET)
    assert hidden.outcome is Outcome.INCONCLUSIVE
    found = judged(base, new)
    assert (found.outcome, found.reason) == (outcome, Reason.BEYOND_THRESHOLD)
    assert abs(found.new - found.base) == pytest.approx(0.2, abs=0.01)  # of those that are left
    assert found.left_out == pytest.approx(max(*base, *new) / sorted((*base, *new))[-2] - 1)
    assert found.detectable == hidden.detectable


def test_nothing_becomes_the_same_by_leaving_a_process_out() -> None:
    """The one that is left out may be the change: a kernel that is slow in one process of three."""
    for base, new in ((AGREEING, WITH_WILD), (WITH_WILD, AGREEING)):
        found = judged(base, new)
        assert (found.outcome, found.left_out) == (Outcome.INCONCLUSIVE, 0.0)


@pytest.mark.parametrize(
    ("base", "new"),
    [
        ((10.0, 10.005, 10.3), SLOWER),  # 1 % slower than the next
        ((10.0, 10.005, 9.5), SLOWER),  # fast, not slow: nothing makes a kernel faster
        ((10.0, 10.45, 10.45), SLOWER),
        ((10.0, 10.45), SLOWER),
        (SLOWER[:2], WITH_WILD),
    ],
)
def test_what_else_differs_is_no_wild_process(base: tuple[float, ...], new: tuple[float, ...]) -> None:
    assert without_wild(contrast(base, new), QUIET) is None


def test_what_is_far_off_by_the_noise_of_its_case_is_wild() -> None:
    case = contrast(WITH_WILD, SLOWER)
    others = without_wild(case, NoiseModel(0.05, 0.0, ""))
    assert others is not None
    assert (others.base.processes, others.new.processes) == (case.base.processes[:2], case.new.processes)
    assert without_wild(case, NoiseModel(0.07, 0.0, "")) is None


def test_others_are_judged_as_one_case_of_all() -> None:
    quiet = contrast(AGREEING, AGREEING)
    cases = [contrast(WITH_WILD, SLOWER), *[replace(quiet, case_id=f"{number}") for number in range(400)]]
    alone, among = judge_robustly(cases[:1], QUIET)[0], judge_robustly(cases, QUIET)[0]
    assert (alone.outcome, among.outcome) == (Outcome.SLOWER, Outcome.SLOWER)
    assert among.ratio.high > alone.ratio.high

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shflbench.analysis import Outcome, Reason
from shflbench.analysis.judge import judge
from tests.fakes.runs import measured

if TYPE_CHECKING:
    from shflbench.store import Row

ROW = measured(patterns=["neighbor"], dtypes=["f32"])[0][0]


def timed(value: float, low: float | None, high: float | None) -> Row:
    return replace(ROW, time_us=value, time_low_us=low, time_high_us=high)


BASE = timed(100.0, 100.0, 100.0)


@pytest.mark.parametrize(
    ("value", "low", "high", "outcome", "reason"),
    [
        (100.0, 99.9, 100.1, Outcome.SAME, Reason.WITHIN_THRESHOLD),
        (104.0, 103.9, 104.1, Outcome.SAME, Reason.WITHIN_THRESHOLD),
        (105.0, 104.9, 105.1, Outcome.SLOWER, Reason.BEYOND_THRESHOLD),
        (120.0, 100.1, 140.0, Outcome.SLOWER, Reason.BEYOND_THRESHOLD),
        (120.0, 99.9, 140.0, Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE),
        (104.9, 104.8, 105.2, Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE),
        (95.2, 95.1, 95.3, Outcome.FASTER, Reason.BEYOND_THRESHOLD),
        (95.3, 95.25, 95.4, Outcome.SAME, Reason.WITHIN_THRESHOLD),
        (80.0, 60.0, 99.9, Outcome.FASTER, Reason.BEYOND_THRESHOLD),
        (80.0, 60.0, 100.1, Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE),
    ],
)
def test_the_outcome_follows_from_the_interval_and_the_threshold(
    value: float, low: float, high: float, outcome: Outcome, reason: Reason
) -> None:
    verdict = judge(BASE, timed(value, low, high), 0.05)
    assert (verdict.outcome, verdict.reason) == (outcome, reason)


@pytest.mark.parametrize("value", [80.0, 94.0, 95.2, 97.0, 100.0, 103.0, 104.9, 105.0, 105.1, 130.0])
def test_swapping_the_sides_swaps_faster_and_slower(value: float) -> None:
    base, new = timed(100.0, 99.8, 100.3), timed(value, value * 0.997, value * 1.004)
    swapped = {Outcome.FASTER: Outcome.SLOWER, Outcome.SLOWER: Outcome.FASTER}
    there, back = judge(base, new, 0.05).outcome, judge(new, base, 0.05).outcome
    assert back == swapped.get(there, there)


def test_a_larger_threshold_never_finds_more() -> None:
    new = timed(106.0, 105.5, 106.5)
    outcomes = [judge(BASE, new, threshold).outcome for threshold in (0.01, 0.05, 0.06, 0.063, 0.07, 0.2)]
    assert outcomes == [Outcome.SLOWER] * 3 + [Outcome.INCONCLUSIVE] + [Outcome.SAME] * 2


def test_the_noise_of_both_sides_counts() -> None:
    base, new = timed(100.0, 94.0, 106.0), timed(107.0, 105.0, 109.0)
    verdict = judge(base, new, 0.05)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.ratio is not None
    assert verdict.ratio.low == pytest.approx(105 / 106)
    assert verdict.ratio.high == pytest.approx(109 / 94)


def test_a_time_without_an_interval_decides_nothing() -> None:
    verdict = judge(timed(100.0, None, None), timed(200.0, 199.0, 201.0), 0.05)
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, Reason.NO_INTERVAL)
    assert verdict.sentence == "the base run gives no interval of its time"
    assert verdict.ratio is None


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        ((110.0, 109.0, 111.0), "100 µs, now 110 µs: +10.0 % (+9.0 to +11.0 %)"),
        ((90.0, 89.0, 91.0), "100 µs, now 90 µs: -10.0 % (-11.0 to -9.0 %)"),
        ((100.0, 99.99, 100.1), "100 µs, now 100 µs: no change beyond 5 % (+0.0 to +0.1 %)"),
        ((103.0, 98.0, 108.0), "100 µs, now 103 µs: +3.0 %, but it could be -2.0 to +8.0 %"),
    ],
)
def test_the_sentence_gives_both_times_and_the_change(new: tuple[float, float, float], sentence: str) -> None:
    assert judge(BASE, timed(*new), 0.05).sentence == sentence

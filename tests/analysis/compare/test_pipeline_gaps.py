"""Values that a side does not have, or not well enough, and what the comparison makes of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shflbench.analysis.compare import Metric, Outcome, Reason, Settings, Side, compare
from shflbench.analysis.compare.noise import NoiseModel, Spread
from shflbench.analysis.compare.sides import KernelTimes
from shflbench.store import read_run
from tests.fakes.four_cases import FEW, FIRST, FOURTH, SECOND, made, outcomes, verdict, with_row
from tests.fakes.processes import Simulated, write
from tests.fakes.sides import side
from tests.fakes.simulated import SENTINEL_US

METRICS = [Metric.TIME, Metric.NS_PER_ITERATION, Metric.CYCLES_PER_ITERATION]


def with_times(known: Side, counts: dict[int, list[float]], launches: int = 1) -> Side:
    """Return the side had the first case taken so long, in each of four rounds of each process."""
    taken = {
        trips: {(0, process): [np.array([time_us])] * 4 for process, time_us in enumerate(times)}
        for trips, times in counts.items()
    }
    return replace(known, kernels={**known.kernels, FIRST: KernelTimes(taken, launches)})


@pytest.mark.parametrize(
    ("factor", "outcome", "reason"),
    [
        (1.0, Outcome.SAME, Reason.WITHIN_THRESHOLD),
        (1.04, Outcome.SUSPECTED, Reason.NO_SAMPLES),
        (1.1, Outcome.SLOWER, Reason.BEYOND_THRESHOLD),
    ],
)
def test_tables_without_samples_suspect_what_is_not_far_off(
    tmp_path: Path, factor: float, outcome: Outcome, reason: Reason
) -> None:
    runs = [Simulated(cases=FEW, seed=1), Simulated(cases=FEW, seed=2, factors={FIRST: factor})]
    base, new = (
        Side.of([read_run(write(tmp_path / str(place), run, samples=False))]) for place, run in enumerate(runs)
    )
    for one, other in ((base, new), (base, side(runs[1])), (side(runs[0]), new)):
        if one is base and other is new:
            found = verdict(one, other)
            assert (found.outcome, found.reason) == (outcome, reason)
        assert any("no samples" in warning for warning in compare(one, other).warnings)


@pytest.mark.parametrize(("factor", "outcome"), [(1.04, Outcome.SUSPECTED), (1.07, Outcome.SLOWER)])
def test_without_sentinels_the_machine_is_suspected_before_the_case(factor: float, outcome: Outcome) -> None:
    base, new = (made(seed, sentinels=False, factor=by) for seed, by in ((1, 1.0), (2, factor)))
    found = verdict(base, new)
    assert found.outcome is outcome
    assert found.reason is (Reason.NO_SENTINELS if outcome is Outcome.SUSPECTED else Reason.BEYOND_THRESHOLD)
    assert compare(base, new).offset_us is None


def test_a_process_that_lacks_its_sentinels_is_left_out() -> None:
    new = made(2)
    bare = {
        name: KernelTimes({count: dict(list(taken.items())[:2]) for count, taken in kernel.counts.items()}, 1)
        if name in SENTINEL_US
        else kernel
        for name, kernel in new.kernels.items()
    }
    two = compare(made(1), replace(new, kernels=bare))
    assert set(outcomes(two).values()) == {Outcome.SAME}
    for found, known in zip(two.verdicts, compare(made(1), made(2)).verdicts, strict=True):
        assert found.new != known.new


@pytest.mark.parametrize("metric", METRICS)
def test_a_value_that_is_unknown_is_told_from_one_without_an_interval(metric: Metric) -> None:
    bare = replace(made(2), kernels={})
    row = replace(made(2).rows[FIRST], ns_per_iteration=1.0, cycles_per_iteration=2.0)
    unsure = verdict(made(1), with_row(bare, row), Settings(metric=metric))
    base = with_row(made(1), row)
    assert verdict(base, with_row(bare, row), Settings(metric=metric)).reason is Reason.NO_INTERVAL
    assert unsure.reason is (Reason.NO_INTERVAL if metric is Metric.TIME else Reason.NO_VALUE)
    nothing = replace(row, time_us=None, ns_per_iteration=None, cycles_per_iteration=None)
    unknown = verdict(base, with_row(bare, nothing), Settings(metric=metric))
    # The base side comes first: its table has no interval either.
    assert unknown.sentence == f"the base side has no interval of its {metric}"
    swapped = verdict(with_row(bare, nothing), base, Settings(metric=metric))
    assert (swapped.outcome, swapped.reason) == (Outcome.NOT_COMPARABLE, Reason.NO_VALUE)


@pytest.mark.parametrize("shorter", [[40.0, 40.0], [41.0, 41.0], [39.0, 41.0]], ids=["0", "below 0", "one below 0"])
def test_a_slope_that_is_not_above_0_is_not_compared(shorter: list[float]) -> None:
    flat = with_times(made(2), {4096: [40.0, 40.0], 1024: shorter})
    steep = with_times(made(1), {4096: [40.0, 40.0], 1024: [20.0, 20.0]})
    for base, new, name in ((steep, flat, "new"), (flat, steep, "base")):
        result = verdict(base, new, Settings(metric=Metric.NS_PER_ITERATION))
        assert (result.outcome, result.reason) == (Outcome.NOT_COMPARABLE, Reason.NO_VALUE)
        assert result.sentence == f"the {name} side has a ns_per_iteration that is not above 0"
        assert compare(base, new, Settings(metric=Metric.NS_PER_ITERATION)).by_importance()


def test_a_time_that_is_shorter_than_the_offset_is_not_compared() -> None:
    base, new = (with_times(known, {4096: [0.032] * 3}) for known in (made(1, offset_us=2.0), made(2)))
    assert verdict(base, new).reason is Reason.NO_VALUE


def test_samples_of_one_launch_and_of_eight_are_not_compared() -> None:
    one, eight, both = (
        with_times(made(seed), {4096: [40.0] * 3}, launches) for seed, launches in ((1, 1), (2, 8), (3, 0))
    )
    for base, new in ((one, eight), (eight, one), (one, both), (both, replace(both, runs=one.runs))):
        found = verdict(base, new)
        assert (found.outcome, found.reason) == (Outcome.NOT_COMPARABLE, Reason.OTHER_LAUNCHES)


def test_what_was_learned_of_the_time_of_a_case_says_nothing_of_its_slope() -> None:
    base, new = (with_times(made(seed), {4096: [40.0] * 3, 1024: [12.0] * 3}) for seed in (1, 2))
    learned = NoiseModel(0.04, 3e-4, "learned", {FIRST: Spread(400.0, 23)})
    slope = Settings(metric=Metric.NS_PER_ITERATION, noise=learned)
    plain = replace(slope, noise=replace(learned, cases={}))
    assert verdict(base, new, slope) == verdict(base, new, plain)


@pytest.mark.parametrize("metric", [Metric.NS_PER_ITERATION, Metric.CYCLES_PER_ITERATION])
def test_a_slope_is_compared_on_disk(tmp_path: Path, metric: Metric) -> None:
    base, new = (
        Side.of([read_run(write(tmp_path / str(run.seed), run))])
        for run in (Simulated(cases=FEW), Simulated(cases=FEW, seed=2, factors={SECOND: 1.2}))
    )
    result = compare(base, new, Settings(metric=metric))
    found = verdict(base, new, Settings(metric=metric), SECOND)
    assert found.outcome is Outcome.SLOWER
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(1.2, abs=0.02)
    assert outcomes(result)[FOURTH] is Outcome.SAME

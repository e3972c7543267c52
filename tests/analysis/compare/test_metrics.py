from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.analysis.compare import Metric, Side
from shflbench.analysis.compare.metrics import (
    PASSES,
    SLOPE,
    value_of,
    values_from_row,
    values_from_samples,
    weights_of_time,
)
from shflbench.analysis.compare.noise import USUAL, Weights
from shflbench.analysis.compare.sides import KernelTimes
from shflbench.core.model import Status
from shflbench.store import Run, RunSettings
from tests.fakes.processes import verified
from tests.fakes.runs import info
from tests.fakes.simulated import spread

(CASE,) = spread(1)
ID, ITERATIONS = CASE.id, CASE.iterations
ROW = replace(
    verified(CASE),
    status=Status.TIMED,
    time_us=50.0,
    time_low_us=49.9,
    time_high_us=50.1,
    launches=8,
    ns_per_iteration=10.0,
    ns_per_iteration_low=9.9,
    ns_per_iteration_high=10.1,
    cycles_per_iteration=19.8,
)


def side(times_us: dict[int, list[float]], **row: Any) -> Side:
    """Return a side whose processes took so long at each iteration count, in each of four rounds."""
    counts = {
        iterations: {(0, process): [np.array([time_us])] * 4 for process, time_us in enumerate(times)}
        for iterations, times in times_us.items()
    }
    own = replace(ROW, **row)
    return Side((Run(Path("run"), info(), (own,)),), {ID: own}, {ID: KernelTimes(counts, 8)}, "run")


KNOWN = side({ITERATIONS: [50.0, 60.0], ITERATIONS // 2: [30.0, 35.0], ITERATIONS // 4: [19.28, 29.28]})


def values(known: Side, metric: Metric, offsets: dict[tuple[int, int], float] | None = None) -> list[float] | None:
    found = values_from_samples(known, ID, metric, offsets)
    return found.estimates.values.tolist() if found else None


def test_the_offset_of_the_process_is_subtracted_from_a_time() -> None:
    assert values(KNOWN, Metric.TIME) == [50, 60]
    assert values(KNOWN, Metric.TIME, {(0, 0): 1.0, (0, 1): -1.0}) == [49, 61]


def test_processes_without_an_offset_are_dropped_and_without_any_there_is_no_value() -> None:
    assert values(KNOWN, Metric.TIME, {(0, 1): 1.0}) == [59]
    assert values(KNOWN, Metric.TIME, {}) is None


def test_a_slope_uses_the_most_and_the_fewest_iterations_and_has_no_offset() -> None:
    assert values(KNOWN, Metric.NS_PER_ITERATION) == pytest.approx([10.0, 10.0], rel=1e-4)
    assert values(KNOWN, Metric.NS_PER_ITERATION, {(0, 0): 5.0, (0, 1): 5.0}) == pytest.approx([10.0, 10.0], rel=1e-4)


def test_cycles_are_the_slope_by_the_clock_of_the_row() -> None:
    assert values(KNOWN, Metric.CYCLES_PER_ITERATION) == pytest.approx([19.8, 19.8], rel=1e-4)
    assert (
        values(
            side({ITERATIONS: [50.0], ITERATIONS // 4: [19.28]}, cycles_per_iteration=None), Metric.CYCLES_PER_ITERATION
        )
        is None
    )


@pytest.mark.parametrize("metric", [Metric.TIME, Metric.NS_PER_ITERATION])
def test_the_weights_give_the_noise_of_the_value(metric: Metric) -> None:
    found = values_from_samples(KNOWN, ID, metric, None)
    assert found is not None
    if metric is Metric.TIME:
        assert USUAL.variance(found.weights) == pytest.approx(USUAL.deviation(55.0) ** 2)
    else:
        both = USUAL.deviation(55.0) ** 2 + USUAL.deviation(24.28) ** 2
        assert USUAL.variance(found.weights) == pytest.approx(both * (1000 / (ITERATIONS - ITERATIONS // 4)) ** 2)


def test_a_pass_over_memory_has_twice_the_additive_noise() -> None:
    once = side({ITERATIONS: [50.0]}, iterations=ITERATIONS)
    found = values_from_samples(once, ID, Metric.TIME, None)
    assert found is not None
    assert found.weights == Weights(1.0, 2500.0)
    assert weights_of_time(50.0, passes=True) == Weights(PASSES**2, 2500.0)
    nothing = {"ns_per_iteration": None, "sass_per_iteration": None, "cycles_per_iteration": None}
    passing = values_from_samples(side({1: [50.0]}, iterations=1, **nothing), ID, Metric.TIME, None)
    assert passing is not None
    assert passing.weights == Weights(4.0, 2500.0)


@pytest.mark.parametrize("metric", [Metric.TIME, Metric.NS_PER_ITERATION])
def test_several_contexts_halve_the_additive_noise(metric: Metric) -> None:
    (run,) = KNOWN.runs
    for places, factor in ((8, 1.0), (9, 0.25)):
        measured = replace(run, info=replace(run.info, settings=RunSettings(places=places)))
        one, several = (
            values_from_samples(each, ID, metric, None) for each in (KNOWN, replace(KNOWN, runs=(measured, measured)))
        )
        mixed = values_from_samples(replace(KNOWN, runs=(run, measured)), ID, metric, None)
        assert one is not None
        assert several is not None
        assert mixed is not None
        assert several.weights.additive == pytest.approx(factor * one.weights.additive)
        assert several.weights.proportional == one.weights.proportional
        assert mixed.weights == one.weights


@pytest.mark.parametrize("times_us", [{ITERATIONS: [50.0]}, {ITERATIONS // 4: [20.0]}])
def test_a_slope_needs_two_iteration_counts(times_us: dict[int, list[float]]) -> None:
    assert values(side(times_us), Metric.NS_PER_ITERATION) is None


def test_only_processes_with_two_iteration_counts_have_a_slope() -> None:
    assert values(side({ITERATIONS: [50.0, 60.0], ITERATIONS // 4: [19.28]}), Metric.NS_PER_ITERATION) == pytest.approx(
        [10.0], rel=1e-4
    )


def test_a_case_without_samples_has_no_value() -> None:
    assert values_from_samples(replace(KNOWN, kernels={}), ID, Metric.TIME, None) is None
    assert values(side({ITERATIONS // 4: [20.0]}), Metric.TIME) is None


@pytest.mark.parametrize(
    ("metric", "value", "deviation"),
    [
        (Metric.TIME, 50.0, 0.1 / 1.96),
        (Metric.NS_PER_ITERATION, 10.0, 0.1 / 1.96),
        (Metric.CYCLES_PER_ITERATION, 19.8, 0.198 / 1.96),
    ],
)
def test_a_table_has_a_value_and_the_variance_from_its_interval(metric: Metric, value: float, deviation: float) -> None:
    found = values_from_row(KNOWN, ID, metric)
    assert found is not None
    assert found.estimates.values.tolist() == pytest.approx([value])
    assert found.estimates.variances.tolist() == pytest.approx([deviation**2], rel=1e-3)
    assert (found.estimates.rounds, found.estimates.launches) == ((0,), 8)
    assert found.weights.proportional == pytest.approx((1.0 if metric is Metric.TIME else SLOPE) * value**2)


@pytest.mark.parametrize("column", ["time_us", "time_low_us", "time_high_us"])
def test_a_table_without_an_interval_has_no_value(column: str) -> None:
    assert values_from_row(side({}, **{column: None}), ID, Metric.TIME) is None


@pytest.mark.parametrize("column", ["ns_per_iteration", "cycles_per_iteration"])
def test_cycles_need_a_slope_and_a_clock(column: str) -> None:
    assert values_from_row(side({}, **{column: None}), ID, Metric.CYCLES_PER_ITERATION) is None


def test_the_value_of_a_metric_is_in_its_column() -> None:
    assert [
        value_of(ROW, metric) for metric in (Metric.TIME, Metric.NS_PER_ITERATION, Metric.CYCLES_PER_ITERATION)
    ] == [50.0, 10.0, 19.8]

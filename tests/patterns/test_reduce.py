from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.measure.verify import mismatch
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.model import DTYPES, WARP, Case, Launch
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.backends.base import Array

REDUCE = load(builtin()["reduce"])
UNROLL = REDUCE.declaration.unroll
FLOATS, INTEGERS = ("f32", "f64"), ("i32", "i64")
LANES = np.arange(WARP)


def summed(values: Array, iterations: int) -> Array:
    """Return what the pattern's reference gives."""
    return np.asarray(REDUCE.reference(values, iterations=iterations))


def workload(dtype: str) -> Workload:
    return Workload.of(REDUCE, Case("reduce", "shfl", dtype, Launch("2x64", 64, 2), 4096), threads=128, seed=3)


def in_fractions(values: Array, iterations: int) -> list[list[Fraction]]:
    """Return exactly what the recurrence of recurrence.cuh gives for floating point, lane by lane."""
    return [_warp_in_fractions([Fraction(value) for value in warp], iterations) for warp in values.tolist()]


def _warp_in_fractions(lanes: list[Fraction], iterations: int) -> list[Fraction]:
    for _ in range(iterations):
        total = sum(lanes, Fraction(0))
        lanes = [x / 2 + Fraction(2 * lane - 31, 32) + total / 64 for lane, x in enumerate(lanes)]
    return lanes


def butterfly(x: Array) -> Array:
    """Return the sum in each lane as xor exchanges give it, in the type's own arithmetic."""
    for distance in (16, 8, 4, 2, 1):
        x = x + x[:, LANES ^ distance]  # type: ignore[operator]
    return x


def descending(x: Array) -> Array:
    """Return the sum as lane 0 gets it in a chain over the lanes from the last one on, in the type's own arithmetic."""
    chain = x[:, 31]
    for lane in range(30, -1, -1):
        chain = chain + x[:, lane]  # type: ignore[operator]
    return np.repeat(chain[:, None], WARP, axis=1)


def trips(values: Array, iterations: int, total: Callable[[Array], Array]) -> Array:
    """Return what a kernel computes in the type's own arithmetic that sums by `total`."""
    kind = values.dtype.type
    term = ((2 * LANES - 31) / 32).astype(values.dtype)
    for _ in range(iterations):
        values = values * kind(0.5) + term + total(values) * kind(1 / 64)  # type: ignore[operator]
    return values


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 15])
def test_reference_of_floats_is_the_recurrence_lane_by_lane(dtype: str, iterations: int) -> None:
    (values,) = workload(dtype).inputs(0)
    exact = [[float(x) for x in warp] for warp in in_fractions(values, iterations)]
    assert summed(values, iterations).tolist() == np.array(exact).astype(values.dtype).tolist()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 15])
def test_reference_of_integers_is_the_recurrence_lane_by_lane(dtype: str, iterations: int) -> None:
    (values,) = workload(dtype).inputs(0)
    bits = 8 * DTYPES[dtype].size
    warps = values.tolist()
    for _ in range(iterations):
        totals = [sum(warp) for warp in warps]
        warps = [[(x + total) % 2**bits for x in warp] for warp, total in zip(warps, totals, strict=True)]
    signed = [[x - 2**bits if x >= 2 ** (bits - 1) else x for x in warp] for warp in warps]
    assert summed(values, iterations).tolist() == signed


@pytest.mark.parametrize("dtype", DTYPES)
def test_inputs_are_small_whole_numbers_all_different_within_a_warp(dtype: str) -> None:
    for index in range(INPUT_SETS):
        (values,) = workload(dtype).inputs(index)
        assert values.shape == (4, WARP)
        assert values.dtype == DTYPES[dtype].numpy
        assert all(len(set(warp)) == WARP for warp in values.tolist())
        assert np.abs(values.astype(np.float64)).max() <= 24
        assert len(set(values.sum(axis=1).tolist())) == len(values)


@pytest.mark.parametrize(("dtype", "exact_trips"), [("f32", 8), ("f64", 37)])
@pytest.mark.parametrize("total", [butterfly, descending])
def test_sums_are_exact_in_any_order_for_as_many_trips_as_the_tolerance_says(
    dtype: str, exact_trips: int, total: Callable[[Array], Array]
) -> None:
    assert REDUCE.tolerance(DTYPES[dtype], exact_trips) == 0.0
    assert REDUCE.tolerance(DTYPES[dtype], exact_trips + 1) > 0.0
    for index in range(INPUT_SETS):
        (values,) = workload(dtype).inputs(index)
        assert trips(values, exact_trips, total).tolist() == in_fractions(values, exact_trips)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("total", [butterfly, descending])
@pytest.mark.parametrize("iterations", [15, 60, 200])
def test_rounding_stays_within_the_tolerance(dtype: str, total: Callable[[Array], Array], iterations: int) -> None:
    (values,) = workload(dtype).inputs(0)
    got, exact = trips(values, iterations, total).tolist(), in_fractions(values, iterations)
    worst = max(
        abs(Fraction(x) - right)
        for lanes, rights in zip(got, exact, strict=True)
        for x, right in zip(lanes, rights, strict=True)
    )
    assert worst <= (REDUCE.tolerance(DTYPES[dtype], iterations) or Fraction(0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_lane_that_loses_one_input_in_any_trip_is_visible_at_the_end(dtype: str) -> None:
    data = workload(dtype)
    for iterations in data.verify_iterations:
        for trip in range(iterations):
            wrong = [
                mismatch(
                    [with_one_input_lost(data.inputs(index)[0], trip, iterations)],
                    data.expected(index, iterations),
                    REDUCE.tolerance(DTYPES[dtype], iterations),
                )
                for index in range(INPUT_SETS)
            ]
            assert any(wrong), (iterations, trip)


def with_one_input_lost(values: Array, trip: int, iterations: int) -> Array:
    """Return the outputs when lane 5 of the last warp misses lane 6's value in the sum of one trip."""
    before = summed(values, trip)
    after = summed(before, 1)
    lost = before[-1, 6] / 64 if before.dtype.kind == "f" else before[-1, 6]
    with np.errstate(over="ignore"):
        after[-1, 5] -= lost
    return summed(after, iterations - trip - 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("passes", [1, 2, 3])
def test_lost_passes_through_the_unrolled_loop_are_visible_at_the_end(dtype: str, passes: int) -> None:
    data = workload(dtype)
    iterations = max(data.verify_iterations)
    assert iterations >= passes * UNROLL
    got = summed(data.inputs(0)[0], iterations - passes * UNROLL)
    assert mismatch([got], data.expected(0, iterations), REDUCE.tolerance(DTYPES[dtype], iterations))


@pytest.mark.parametrize("dtype", FLOATS)
def test_lanes_stay_different_however_long_it_runs(dtype: str) -> None:
    (values,) = workload(dtype).inputs(0)
    after = summed(values, 4096)
    assert all(len(set(warp)) == WARP for warp in after.tolist())

from fractions import Fraction

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

WORK = load(builtin()["broadcast-work"])
FLOATS, INTEGERS = ("f32", "f64"), ("i32",)


def workload(dtype: str, launch: str = "2x64") -> Workload:
    return cases.workload(WORK, dtype, launch)


def tolerance(dtype: str, iterations: int) -> float:
    return WORK.tolerance(cases.setting(dtype), iterations)


def in_fractions(values: Array, iterations: int) -> list[list[Fraction]]:
    """Return the exact result of work.cuh for floating point, lane by lane."""
    warps = [[Fraction(value) for value in warp] for warp in values.tolist()]
    for _ in range(iterations):
        warps = [
            [x / 2 + Fraction(2 * lane - 31, 32) + distances(x, warp) / 128 for lane, x in enumerate(warp)]
            for warp in warps
        ]
    return warps


def distances(x: Fraction, warp: list[Fraction]) -> Fraction:
    return sum((abs(x - v) for v in warp), Fraction(0))


def in_own_arithmetic(values: Array, iterations: int) -> Array:
    """Return the result of a kernel that rounds each operation to the element type."""
    kind = values.dtype.type
    term = ((2 * np.arange(WARP) - 31) / 32).astype(values.dtype)
    for _ in range(iterations):
        total = np.zeros_like(values)
        for source in range(WARP):
            total = total + np.abs(values - values[:, source : source + 1])  # type: ignore[operator]
        values = values * kind(0.5) + term + total * kind(1 / 128)  # type: ignore[operator]
    return values


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 7])
def test_reference_of_floats_is_the_recurrence_lane_by_lane(dtype: str, iterations: int) -> None:
    data = workload(dtype)
    (values,) = data.inputs(0)
    exact = [[float(x) for x in warp] for warp in in_fractions(values, iterations)]
    assert after(data, iterations, values).tolist() == np.array(exact).astype(values.dtype).tolist()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 7])
def test_reference_of_integers_is_the_recurrence_lane_by_lane(dtype: str, iterations: int) -> None:
    data = workload(dtype)
    (values,) = data.inputs(0)
    bits = 8 * DTYPES[dtype].size
    warps = values.tolist()
    for _ in range(iterations):
        warps = [[(x + sum((x - v) ** 2 for v in warp)) % 2**bits for x in warp] for warp in warps]
    signed = [[x - 2**bits if x >= 2 ** (bits - 1) else x for x in warp] for warp in warps]
    assert after(data, iterations, values).tolist() == signed


@pytest.mark.parametrize(("dtype", "exact_iterations"), [("f32", 2), ("f64", 7)])
def test_arithmetic_is_exact_for_as_many_iterations_as_the_tolerance_says(dtype: str, exact_iterations: int) -> None:
    assert tolerance(dtype, exact_iterations) == 0.0
    assert tolerance(dtype, exact_iterations + 1) > 0.0
    for index in range(INPUT_SETS):
        (values,) = workload(dtype, "1x32").inputs(index)
        assert in_own_arithmetic(values, exact_iterations).tolist() == in_fractions(values, exact_iterations)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("iterations", [15, 30])
def test_rounding_stays_within_the_tolerance(dtype: str, iterations: int) -> None:
    (values,) = workload(dtype, "1x32").inputs(0)
    got, exact = in_own_arithmetic(values, iterations).tolist(), in_fractions(values, iterations)
    worst = max(
        abs(Fraction(x) - right)
        for lanes, rights in zip(got, exact, strict=True)
        for x, right in zip(lanes, rights, strict=True)
    )
    assert 0 < worst <= Fraction(tolerance(dtype, iterations))


@pytest.mark.parametrize("dtype", WORK.declaration.dtypes)
def test_lane_that_misses_one_value_in_any_iteration_is_visible_at_the_end(dtype: str) -> None:
    assert hidden(workload(dtype), miss_one_value, range(INPUT_SETS)) == []


def miss_one_value(before: Array, values: Array) -> None:
    """Let lane 5 of the last warp miss the value of lane 6."""
    with np.errstate(over="ignore"):
        apart = before[-1, 6] - before[-1, 5]
        values[-1, 5] -= abs(apart) / 128 if before.dtype.kind == "f" else apart * apart


@pytest.mark.parametrize("dtype", FLOATS)
def test_lanes_stay_different_and_small_over_many_iterations(dtype: str) -> None:
    data = workload(dtype)
    late = after(data, 4096, *data.inputs(0))
    assert all(len(set(warp)) == WARP for warp in late.tolist())
    assert np.abs(late.astype(np.float64)).max() < 32


def test_integers_that_differ_in_one_value_stay_different() -> None:
    data = workload("i32")
    (values,) = data.inputs(0)
    for bit in range(32):
        other = values.copy()
        other[0, 7] ^= np.int32(1 << bit) if bit < 31 else np.int32(-(2**31))
        for iterations in (1, 7, 64):
            assert (after(data, iterations, values)[0] != after(data, iterations, other)[0]).any()

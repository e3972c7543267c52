import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from shflbench.core.model import DTYPES as KNOWN
from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

REDUCE = load(builtin()["reduce"])
DTYPES = REDUCE.declaration.dtypes
WIDTHS = REDUCE.declaration.options["width"]
HALVES, FLOATS, INTEGERS = ("f16", "bf16"), ("f32", "f64"), ("i32", "i64")
PAIRS = ("f16x2", "bf16x2")
MAGIC = {"f16": 1.5 * 2**13, "bf16": 1.5 * 2**10}  # where the type's numbers are 8 apart


def workload(dtype: str, width: str = "32") -> Workload:
    return cases.workload(REDUCE, dtype, options={"width": width})


def tolerance(dtype: str, iterations: int) -> float:
    return REDUCE.tolerance(workload(dtype).setting, iterations)


def groups(values: Array, width: str) -> list[list[float]]:
    return values.reshape(-1, int(width)).tolist()


def in_fractions(values: Array, iterations: int, width: str) -> list[list[Fraction]]:
    """Return the exact result of recurrence.cuh for f32 and f64, lane by lane."""
    return [_group_in_fractions([Fraction(x) for x in group], iterations) for group in groups(values, width)]


def _group_in_fractions(lanes: list[Fraction], iterations: int) -> list[Fraction]:
    """Iterate x / 2 + (2·lane - width + 1) / width + sum / (2·width) in integers over one denominator for all lanes."""
    width = len(lanes)
    denominator = math.lcm(*(x.denominator for x in lanes))
    numerators = [int(x * denominator) for x in lanes]
    for _ in range(iterations):
        total = sum(numerators)
        numerators = [x * width + 2 * (2 * lane - width + 1) * denominator + total for lane, x in enumerate(numerators)]
        denominator *= 2 * width
    return [Fraction(x, denominator) for x in numerators]


def butterfly(x: Array) -> Array:
    """Return the sum in each lane by xor exchanges, in the type's own arithmetic; shape [groups, width]."""
    lanes = np.arange(x.shape[1])
    distance = x.shape[1] // 2
    while distance:
        x = x + x[:, lanes ^ distance]  # type: ignore[operator]
        distance //= 2
    return x


def descending(x: Array) -> Array:
    """Return the sum by a chain over the lanes from the last one on, in the type's own arithmetic."""
    chain = x[:, -1]
    for lane in range(x.shape[1] - 2, -1, -1):
        chain = chain + x[:, lane]  # type: ignore[operator]
    return np.repeat(chain[:, None], x.shape[1], axis=1)


def repeat(values: Array, iterations: int, width: str, total: Callable[[Array], Array]) -> Array:
    """Return the result of a kernel in f32's or f64's own arithmetic that sums by `total`; shape [groups, width]."""
    kind, lanes = values.dtype.type, int(width)
    term = ((2 * np.arange(lanes) - (lanes - 1)) / lanes).astype(values.dtype)
    x = values.reshape(-1, lanes)
    for _ in range(iterations):
        x = x * kind(0.5) + term + total(x) * kind(0.5 / lanes)  # type: ignore[operator]
    return x


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 15])
def test_reference_of_floats_is_the_recurrence_lane_by_lane(dtype: str, iterations: int, width: str) -> None:
    data = workload(dtype, width)
    (values,) = data.inputs(0)
    exact = [[float(x) for x in group] for group in in_fractions(values, iterations, width)]
    assert groups(after(data, iterations, values), width) == np.array(exact).astype(values.dtype).tolist()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 15])
def test_reference_of_integers_is_the_recurrence_lane_by_lane(dtype: str, iterations: int, width: str) -> None:
    data = workload(dtype, width)
    (values,) = data.inputs(0)
    bits = 8 * KNOWN[dtype].size
    numbers = values.reshape(-1, int(width)).tolist()
    for _ in range(iterations):
        numbers = [[(x + sum(group)) % 2**bits for x in group] for group in numbers]
    signed = [[x - 2**bits if x >= 2 ** (bits - 1) else x for x in group] for group in numbers]
    assert groups(after(data, iterations, values), width) == signed


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("total", [butterfly, descending])
def test_halves_are_exact_in_any_order_and_stay_small(dtype: str, width: str, total: Callable[[Array], Array]) -> None:
    """A kernel that rounds each operation to the element type gives the same result as the reference."""
    data = workload(dtype, width)
    (values,) = data.inputs(0)
    magic, first = values.dtype.type(MAGIC[dtype]), np.arange(int(width)) == 0
    x = values.reshape(-1, int(width))
    for iteration in range(40):
        assert groups(x, width) == groups(after(data, iteration, values), width)
        assert np.abs(x.astype(np.float64)).max() <= 4
        later = x + total(x) + first.astype(values.dtype)  # type: ignore[operator]
        x = later - ((later + magic) - magic)


@pytest.mark.parametrize("dtype", HALVES)
def test_reference_of_halves_is_x_plus_sum_modulo_8(dtype: str) -> None:
    data = workload(dtype, "8")
    (values,) = data.inputs(0)
    numbers = [[int(x) for x in group] for group in groups(values, "8")]
    for _ in range(15):
        numbers = [[(x + sum(group) + (lane == 0)) % 8 for lane, x in enumerate(group)] for group in numbers]
    assert [[int(x) % 8 for x in group] for group in groups(after(data, 15, values), "8")] == numbers


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["f32x4", *PAIRS])
def test_components_of_vectors_are_summed_separately(dtype: str, width: str) -> None:
    data = workload(dtype, width)
    (values,) = data.inputs(0)
    assert values.shape == (4, WARP, KNOWN[dtype].components)
    for component in range(KNOWN[dtype].components):
        alone = after(data, 9, values[..., component])
        assert after(data, 9, values)[..., component].tolist() == alone.tolist()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype not in {*HALVES, *PAIRS}])
def test_inputs_are_small_whole_numbers_distinct_within_a_warp(dtype: str) -> None:
    for index in range(INPUT_SETS):
        (values,) = workload(dtype).inputs(index)
        by_warp = values.reshape(4, WARP, -1).swapaxes(1, 2).reshape(-1, WARP)
        assert values.dtype == KNOWN[dtype].numpy
        assert all(len(set(warp)) == WARP for warp in by_warp.tolist())
        assert np.abs(values.astype(np.float64)).max() <= 24
        assert len(set(by_warp.sum(axis=1).tolist())) > len(by_warp) / 2


@pytest.mark.parametrize(("dtype", "exact_iterations"), [("f32", 8), ("f64", 37)])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("total", [butterfly, descending])
def test_sums_are_exact_in_any_order_for_as_many_iterations_as_the_tolerance_says(
    dtype: str, exact_iterations: int, width: str, total: Callable[[Array], Array]
) -> None:
    assert tolerance(dtype, exact_iterations) == 0.0
    assert tolerance(dtype, exact_iterations + 1) > 0.0
    for index in range(INPUT_SETS):
        (values,) = workload(dtype, width).inputs(index)
        assert repeat(values, exact_iterations, width, total).tolist() == in_fractions(values, exact_iterations, width)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("width", ["32", "2"])
@pytest.mark.parametrize("total", [butterfly, descending])
@pytest.mark.parametrize("iterations", [15, 60, 200])
def test_rounding_stays_within_the_tolerance(
    dtype: str, width: str, total: Callable[[Array], Array], iterations: int
) -> None:
    (values,) = workload(dtype, width).inputs(0)
    got, exact = repeat(values, iterations, width, total).tolist(), in_fractions(values, iterations, width)
    worst = max(
        abs(Fraction(x) - right)
        for lanes, rights in zip(got, exact, strict=True)
        for x, right in zip(lanes, rights, strict=True)
    )
    assert worst <= (tolerance(dtype, iterations) or Fraction(0))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lane_that_loses_one_input_in_any_iteration_is_visible_at_the_end(dtype: str, width: str) -> None:
    def lose_one_input(before: Array, values: Array) -> None:
        """Let lane 5 of the last warp miss lane 4's value in its sum."""
        lost = before[-1, 4]
        if values.dtype.itemsize == 2:
            less = values[-1, 5].astype("f8") - lost.astype("f8")
            values[-1, 5] = less - 8 * np.rint(less / 8)
        elif values.dtype.kind == "f":
            values[-1, 5] -= lost / (2 * int(width))
        else:
            with np.errstate(over="ignore"):
                values[-1, 5] -= lost

    assert hidden(workload(dtype, width), lose_one_input, range(INPUT_SETS)) == []


@pytest.mark.archs
@pytest.mark.parametrize("dtype", PAIRS)
@pytest.mark.parametrize("variant", ["shfl", "cub"])
def test_a_pair_takes_one_shuffle_and_one_addition_per_step(dtype: str, variant: str) -> None:
    kernel = kernels.compiled(f"reduce/{variant}/{dtype}/width=32")
    assert kernel.loop is not None
    assert kernel.loop.counts["SHFL"] == (5 if variant == "shfl" else 6) * kernel.loop.unroll


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_lanes_stay_different_over_many_iterations(dtype: str, width: str) -> None:
    data = workload(dtype, width)
    assert all(len(set(group)) == len(group) for group in groups(after(data, 4096, *data.inputs(0)), width))


def test_butterfly_of_the_ntnu_lecture_gives_each_half_of_the_warp_the_other_half() -> None:
    """`sum = shfl_xor(v, 16)` instead of `v + shfl_xor(v, 16)`: why the kernel differs from the printed one."""
    (values,) = workload("i32").inputs(0)
    lanes = np.arange(WARP)
    total = values[:, lanes ^ 16]
    for distance in (8, 4, 2, 1):
        total = total + total[:, lanes ^ distance]  # type: ignore[operator]
    halves = values.reshape(-1, 2, 16).sum(axis=2)
    assert total[:, 0].tolist() == halves[:, 1].tolist()
    assert total[:, 31].tolist() == halves[:, 0].tolist()

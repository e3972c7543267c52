from typing import Any

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

REDUCE = load(builtin()["block-reduce"])
DTYPE_NAMES = REDUCE.declaration.dtypes
BLOCKS = REDUCE.declaration.block_sizes
RESULTS = REDUCE.declaration.options["result"]
MODULUS = {"f32": 2**14, "f64": 2**43}
DIGITS = {"f32": 24, "f64": 53}


def workload(dtype: str, result: str = "all", block: int = 128) -> Workload:
    return cases.workload(REDUCE, dtype, launch=f"2x{block}", options={"result": result})


def signed(x: int, modulus: int) -> int:
    return (x + modulus // 2) % modulus - modulus // 2


def next_block(block: list[int], dtype: str, result: str) -> list[int]:
    """Return the values of a block after one iteration, in Python's whole numbers."""
    modulus, total = MODULUS.get(dtype, 2 ** (8 * DTYPES[dtype].size)), sum(block)
    if result == "all":
        return [signed(x + total, modulus) for x in block]
    others = [signed(x + 2 * thread + 1, modulus) for thread, x in enumerate(block)]
    return [signed(total, modulus), *others[1:]]


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_reference_is_the_recurrence_thread_by_thread(dtype: str, result: str) -> None:
    for block in (BLOCKS[0], BLOCKS[-1]):
        data = workload(dtype, result, block)
        (values,) = data.inputs(0)
        blocks = [[int(x) for x in row] for row in values.reshape(-1, block).tolist()]
        for iterations in range(4):
            assert after(data, iterations, values).reshape(-1, block).tolist() == blocks
            blocks = [next_block(row, dtype, result) for row in blocks]


@pytest.mark.parametrize("dtype", MODULUS)
def test_the_sum_of_the_largest_block_is_exact_in_any_order(dtype: str) -> None:
    """All values of one sign, and one more that an iteration adds, are whole numbers within the digits of the type."""
    largest = MODULUS[dtype] // 2
    assert (BLOCKS[-1] + 1) * largest < 2 ** DIGITS[dtype]
    for index in range(INPUT_SETS):
        data = workload(dtype, block=BLOCKS[-1])
        (values,) = data.inputs(index)
        assert largest / 2 < np.abs(values).max() <= largest
        assert np.abs(after(data, 100, values)).max() <= largest


@pytest.mark.parametrize("dtype", MODULUS)
def test_kernel_takes_the_modulus_exactly_by_the_constant_that_rounds(dtype: str) -> None:
    """Adding and subtracting 1.5·2^(digits - 1)·modulus rounds to a multiple of the modulus, as in modulo.cuh."""
    kind, modulus = DTYPES[dtype].numpy, MODULUS[dtype]
    constant = np.dtype(kind).type(1.5 * 2.0 ** (DIGITS[dtype] - 1) * modulus)
    assert constant == {"f32": float.fromhex("0x1.8p37"), "f64": float.fromhex("0x1.8p95")}[dtype]
    sums = np.random.default_rng(1).integers(-(2 ** (DIGITS[dtype] - 1)), 2 ** (DIGITS[dtype] - 1), 10_000).astype(kind)
    sums[:5] = [0, modulus / 2, -modulus / 2, 3 * modulus / 2, -3 * modulus / 2]
    exact = sums.astype(np.float64) - modulus * np.rint(sums.astype(np.float64) / modulus)
    assert (sums - ((sums + constant) - constant)).tolist() == exact.tolist()


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("missed", [0, WARP - 1, WARP, 127])
def test_a_value_that_the_sum_misses_in_any_iteration_is_visible_at_the_end(
    dtype: str, result: str, missed: int
) -> None:
    data = workload(dtype, result)

    def miss(before: Array, values: Array) -> None:
        """Let the sum of the last block miss the value of one thread: every thread that gets the sum has less."""
        with np.errstate(over="ignore"):
            less: Any = values.reshape(-1, 128)[-1, : 128 if result == "all" else 1]
            less -= before.reshape(-1, 128)[-1, missed]
            if dtype in MODULUS:
                less -= MODULUS[dtype] * np.rint(less / MODULUS[dtype])

    assert hidden(data, miss, range(INPUT_SETS)) == []


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("thread", [0, WARP, 127])
def test_a_wrong_thread_in_any_iteration_is_visible_at_the_end(dtype: str, result: str, thread: int) -> None:
    def miscount(_: Array, values: Array) -> None:
        block = values.reshape(-1, 128)[-1]
        block[thread] += 1 if block[thread] < 0 else -1

    assert hidden(workload(dtype, result), miscount) == []


def test_expected_counts_follow_the_block_and_the_result() -> None:
    variant = REDUCE.declaration.variant
    options = {"result": "first", "block": "1024"}
    assert variant("smem").expected_counts(DTYPES["f32"], options) == {"STS": 11, "LDS": 10, "BAR": 11}
    assert variant("smem-syncwarp").expected_counts(DTYPES["f32"], options) == {"STS": 11, "LDS": 10, "BAR": 6}
    all_of_64 = {"result": "all", "block": "64"}
    assert variant("smem").expected_counts(DTYPES["f32"], all_of_64) == {"STS": 7, "LDS": 7, "BAR": 8}
    assert variant("shfl").expected_counts(DTYPES["f64"], all_of_64) == {"SHFL": 12, "STS": 1, "LDS": 1, "BAR": 2}
    assert variant("smem-warps").expected_counts(DTYPES["f32"], options) == {"STS": 10, "LDS": 11, "BAR": 2}
    assert variant("smem-warps").expected_counts(DTYPES["f64"], all_of_64) == {"STS": 7, "LDS": 8, "BAR": 2}
    trees = variant("smem-warps-shfl").expected_counts(DTYPES["f64"], all_of_64)
    assert trees == {"SHFL": 2, "STS": 7, "LDS": 7, "BAR": 2}
    assert variant("raking").expected_counts(DTYPES["f32"], options) == {"SHFL": 5, "STS": 1, "LDS": 32, "BAR": 2}
    columns = variant("raking-columns").expected_counts(DTYPES["f64"], all_of_64)
    assert columns == {"SHFL": 10, "STS": 2, "LDS": 2, "BAR": 2}


@pytest.mark.archs
@pytest.mark.parametrize(
    ("variant", "counts"), [("atomic", {"VOTE": 1, "REDUX": 1}), ("atomic-columns-redux", {"VOTE": 0, "REDUX": 1})]
)
def test_the_compiler_adds_up_what_lanes_add_to_the_same_address_only(variant: str, counts: dict[str, int]) -> None:
    loop = kernels.compiled(f"block-reduce/{variant}/i32/result=all").loop
    assert loop is not None
    votes = loop.counts.get("VOTE", 0) + loop.counts.get("VOTEU", 0)
    assert {"VOTE": votes / loop.unroll, "REDUX": loop.counts["REDUX"] / loop.unroll} == counts

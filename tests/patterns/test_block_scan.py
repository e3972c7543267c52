from typing import Any

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

SCAN = load(builtin()["block-scan"])
DTYPE_NAMES = SCAN.declaration.dtypes
BLOCKS = SCAN.declaration.block_sizes
KINDS = SCAN.declaration.options["kind"]
MODULUS = {"f32": 2**14, "f64": 2**43}


def workload(dtype: str, kind: str = "inclusive", block: int = 128) -> Workload:
    return cases.workload(SCAN, dtype, launch=f"2x{block}", options={"kind": kind})


def next_block(block: list[int], dtype: str, kind: str) -> list[int]:
    """Return the values of a block after one iteration, in Python's whole numbers."""
    modulus = MODULUS.get(dtype, 2 ** (8 * DTYPES[dtype].size))
    values, below = [], 0
    for x in block:
        scan, multiple = (below, 5 * x) if kind == "exclusive" else (below + x, 2 * x)
        mixed = scan + multiple if dtype in MODULUS else scan ^ multiple
        values.append((mixed + modulus // 2) % modulus - modulus // 2)
        below += x
    return values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_reference_is_the_recurrence_thread_by_thread(dtype: str, kind: str) -> None:
    for block in (BLOCKS[0], BLOCKS[-1]):
        data = workload(dtype, kind, block)
        (values,) = data.inputs(0)
        blocks = [[int(x) for x in row] for row in values.reshape(-1, block).tolist()]
        for iterations in range(4):
            assert after(data, iterations, values).reshape(-1, block).tolist() == blocks
            blocks = [next_block(row, dtype, kind) for row in blocks]


@pytest.mark.parametrize("dtype", MODULUS)
def test_sums_of_the_largest_block_are_exact_in_any_order(dtype: str) -> None:
    """The largest values of one sign, with five times one of them, are whole numbers within the digits of the type."""
    largest = MODULUS[dtype] // 2
    assert (BLOCKS[-1] + 4) * largest < 2 ** {"f32": 24, "f64": 53}[dtype]
    data = workload(dtype, "exclusive", BLOCKS[-1])
    for index in range(INPUT_SETS):
        (values,) = data.inputs(index)
        assert largest / 2 < np.abs(values).max() <= largest
        assert np.abs(after(data, 100, values)).max() <= largest


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("thread", [0, WARP - 1, WARP, 127])
def test_a_wrong_thread_in_any_iteration_is_visible_at_the_end(dtype: str, kind: str, thread: int) -> None:
    def miscount(_: Array, values: Array) -> None:
        block = values.reshape(-1, 128)[-1]
        block[thread] += 1 if block[thread] < 0 else -1

    assert hidden(workload(dtype, kind), miscount) == []


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("dropped", [WARP, 96])
def test_a_warp_without_the_sum_of_the_one_below_is_visible_at_the_end(dtype: str, dropped: int) -> None:
    def drop(before: Array, values: Array) -> None:
        """Let all threads from one warp on miss the sum of the warp below it, in an exclusive scan."""
        with np.errstate(over="ignore"):
            lost = before.reshape(-1, 128)[-1, dropped - WARP : dropped].sum(dtype=values.dtype)
            block: Any = values.reshape(-1, 128)[-1, dropped:]
            x: Any = before.reshape(-1, 128)[-1, dropped:]
            if dtype in MODULUS:
                block -= lost
                block -= MODULUS[dtype] * np.rint(block / MODULUS[dtype])
            else:
                block[:] = ((block ^ (5 * x)) - lost) ^ (5 * x)

    assert hidden(workload(dtype, "exclusive"), drop, range(INPUT_SETS)) == []


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_kernel_with_the_other_kind_of_scan_is_wrong_after_one_iteration(dtype: str) -> None:
    (values,) = workload(dtype).inputs(0)
    inclusive, exclusive = (after(workload(dtype, kind), 1, values) for kind in KINDS)
    assert (inclusive != exclusive).reshape(-1, 128).any(axis=1).all()


def test_expected_counts_follow_the_block_and_the_kind() -> None:
    variant, f64 = SCAN.declaration.variant, DTYPES["f64"]
    options = {"kind": "exclusive", "block": "1024"}
    assert variant("smem").expected_counts(f64, options) == {"STS": 11, "LDS": 11, "BAR": 11}
    assert variant("smem-tree").expected_counts(f64, options) == {"STS": 30, "LDS": 38, "BAR": 20}
    assert variant("shfl-once").expected_counts(f64, options) == {"SHFL": 22, "STS": 1, "LDS": 1, "BAR": 1}
    assert variant("smem-syncwarp").expected_counts(f64, {"kind": "inclusive", "block": "64"}) == {
        "STS": 8,
        "LDS": 8,
        "BAR": 2,
    }

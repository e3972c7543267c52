import re
from typing import Any

import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.cuda.compile.build import Builder
from shflbench.emulator.machine.launch import execute
from shflbench.measure.verify import difference
from shflbench.measure.workload import INPUT_SETS, Workload, call_of
from shflbench.patterns.copies import copy_of
from shflbench.patterns.declare import Variant
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

COMBINE = load(builtin()["block-combine"])
DTYPE_NAMES = COMBINE.declaration.dtypes
BLOCKS = COMBINE.declaration.block_sizes
MODULUS = {"f32": 2**14, "f64": 2**43}


def workload(dtype: str, block: int = 128) -> Workload:
    return cases.workload(COMBINE, dtype, launch=f"2x{block}")


@pytest.mark.parametrize("block", [BLOCKS[0], BLOCKS[-1]])
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_reference_is_the_recurrence_thread_by_thread(dtype: str, block: int) -> None:
    data = workload(dtype, block)
    modulus = MODULUS.get(dtype, 2 ** (8 * DTYPES[dtype].size))
    (values,) = data.inputs(0)
    blocks = [[int(x) for x in row] for row in values.reshape(-1, block).tolist()]
    for iterations in range(4):
        assert after(data, iterations, values).reshape(-1, block).tolist() == blocks
        totals = [sum(row) for row in blocks]
        blocks = [
            [(x + total + modulus // 2) % modulus - modulus // 2 for x in row]
            for row, total in zip(blocks, totals, strict=True)
        ]


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("missed", [0, 3])
def test_a_warp_that_the_sum_misses_in_any_iteration_is_visible_at_the_end(dtype: str, missed: int) -> None:
    def miss(before: Array, values: Array) -> None:
        """Let the sum of the last block miss one warp."""
        with np.errstate(over="ignore"):
            block: Any = values.reshape(-1, 128)[-1]
            block -= before.reshape(-1, 128)[-1, missed * WARP : (missed + 1) * WARP].sum(dtype=values.dtype)
            if dtype in MODULUS:
                block -= MODULUS[dtype] * np.rint(block / MODULUS[dtype])

    assert hidden(workload(dtype), miss, range(INPUT_SETS)) == []


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("thread", [0, WARP, 127])
def test_a_wrong_thread_in_any_iteration_is_visible_at_the_end(dtype: str, thread: int) -> None:
    def miscount(_: Array, values: Array) -> None:
        block = values.reshape(-1, 128)[-1]
        block[thread] += 1 if block[thread] < 0 else -1

    assert hidden(workload(dtype), miscount) == []


def test_expected_counts_follow_the_block_and_the_type() -> None:
    def counts(variant: str, dtype: str, block: int) -> dict[str, int] | None:
        return COMBINE.declaration.variant(variant).expected_counts(DTYPES[dtype], {"block": str(block)})

    assert counts("shuffles", "f32", 64) == {"SHFL": 6, "STS": 1, "LDS": 1, "BAR": 1}
    assert counts("shuffles", "f64", 1024) == {"SHFL": 20, "STS": 1, "LDS": 1, "BAR": 1}
    assert counts("adds", "f64", 1024) == {"SHFL": 10, "STS": 1, "LDS": 32, "BAR": 1}
    assert counts("wide-adds", "f32", 64) == {"SHFL": 5, "STS": 1, "LDS": 1, "BAR": 1}
    assert counts("wide-adds", "f64", 1024) == {"SHFL": 10, "STS": 1, "LDS": 16, "BAR": 1}
    assert counts("smem8-wide-adds", "f32", 64) == {"SHFL": 3, "STS": 2, "LDS": 3, "BAR": 1}
    assert counts("smem8-wide-adds", "f32", 256) == {"SHFL": 3, "STS": 2, "LDS": 4, "BAR": 1}
    assert counts("smem8-wide-adds", "f64", 1024) == {"SHFL": 10, "STS": 2, "LDS": 8, "BAR": 1}
    assert counts("raking-columns", "i32", 64) == {"SHFL": 5, "STS": 2, "LDS": 2, "BAR": 2}
    assert counts("raking-columns", "f64", 1024) == {"SHFL": 10, "STS": 2, "LDS": 32, "BAR": 2}
    assert counts("raking-quarters", "f32", 64) == {"SHFL": 3, "STS": 2, "LDS": 3, "BAR": 2}
    assert counts("raking-quarters", "f32", 1024) == {"SHFL": 3, "STS": 3, "LDS": 10, "BAR": 2}
    assert counts("raking-quarters", "f64", 256) == {"SHFL": 6, "STS": 3, "LDS": 7, "BAR": 2}
    assert counts("redux", "i32", 256) == {"SHFL": 5, "REDUX": 1, "STS": 1, "LDS": 1, "BAR": 1}


@pytest.mark.parametrize("variant", COMBINE.declaration.variants, ids=lambda variant: variant.name)
def test_code_to_copy_has_as_many_barriers_as_the_measured_kernel_has(variant: Variant) -> None:
    code = copy_of(COMBINE.name, variant.name, "i32", {})
    assert code is not None
    counts = variant.expected_counts(DTYPES["i32"], {"block": "128"}) or {"BAR": 1}  # CUB's own are in its header
    assert len(re.findall(r"^ *__syncthreads\(\);", code, re.MULTILINE)) == counts["BAR"]


@pytest.mark.archs
@pytest.mark.parametrize("block", [64, 256, 1024])
@pytest.mark.parametrize("variant", ["smem8-wide-adds", "raking-columns", "raking-quarters"])
def test_sums_are_right_in_small_and_large_blocks(variant: str, block: int) -> None:
    """`check` takes 128 threads, of which all add up for `raking-quarters`, and none shuffles for `smem8-wide-adds`."""
    case = cases.case(COMBINE.name, variant, "f64", f"2x{block}")
    kernel, data = Builder(kernels.tools(), "sm_90", kernels.CACHE).build(COMBINE, case), workload("f64", block)
    assert kernel.violations == ()
    emulated = EmulatorBackend("sm_90").open(call_of(COMBINE, case, kernel, data.setting))
    assert difference(data, execute(emulated.launch(data.inputs(0), 5)), 0, 5) == ""

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
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.emulator.archive import ptx
from tests.patterns.iterations import after, hidden

BATCHED = load(builtin()["batched-reduce"])
DTYPE_NAMES = BATCHED.declaration.dtypes
SUMS = BATCHED.declaration.options["sums"]
RESULTS = BATCHED.declaration.options["result"]
FRACTION = {"f32": 18, "f16": 10, "bf16": 7}


def workload(dtype: str, sums: str, result: str) -> Workload:
    return cases.workload(BATCHED, dtype, "1x64", options={"sums": sums, "result": result})


def modulus(dtype: str) -> int:
    return 1 << FRACTION.get(dtype, 32)


def whole(values: Array, dtype: str, sums: str) -> Any:
    """Return the u of values; shape [warps, sums, 32]."""
    numbers = values.astype(np.float64).reshape(-1, int(sums), WARP)
    return ((numbers - 1) * modulus(dtype) if dtype in FRACTION else numbers).astype(np.int64) % modulus(dtype)


def next_warp(warp: list[list[int]], dtype: str, result: str) -> list[list[int]]:
    """Return the u of a warp after one iteration."""
    totals, count = [sum(lanes) for lanes in warp], len(warp)
    rows = []
    for j, lanes in enumerate(warp):
        row = []
        for lane, u in enumerate(lanes):
            own = totals[j // WARP * WARP + lane] * (1 + (count == 1)) if lane < count else 2 * lane + 1
            row.append((u + (totals[j] if result == "all" else own)) % modulus(dtype))
        rows.append(row)
    return rows


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("sums", SUMS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_reference_is_the_recurrence_lane_by_lane(dtype: str, sums: str, result: str) -> None:
    data = workload(dtype, sums, result)
    (values,) = data.inputs(0)
    warps = whole(values, dtype, sums).tolist()
    for iterations in range(3):
        assert whole(after(data, iterations, values), dtype, sums).tolist() == warps
        warps = [next_warp(warp, dtype, result) for warp in warps]


@pytest.mark.parametrize("dtype", FRACTION)
def test_the_sum_of_a_warp_is_exact_in_any_order_and_its_lowest_bits_are_those_of_the_u(dtype: str) -> None:
    """32 numbers from 1 to 2 have 6 bits before the point, and FRACTION after it: 24 at most."""
    data = workload(dtype, "32", "all")
    (values,) = data.inputs(0)
    late = after(data, 100, values).astype(np.float32)
    assert late.min() >= 1
    assert late.max() < 2
    sums = late.reshape(-1, WARP).sum(axis=1, dtype=np.float32)
    assert sums.tolist() == late.astype(np.float64).reshape(-1, WARP).sum(axis=1).tolist()
    bits = sums.view(np.uint32) >> np.uint32(18 - FRACTION[dtype])
    totals = whole(late, dtype, "32").sum(axis=2).reshape(-1)
    assert (bits % modulus(dtype)).tolist() == (totals % modulus(dtype)).tolist()


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("sums", SUMS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("missed", [0, 31])
def test_a_value_that_the_last_sum_misses_in_any_iteration_is_visible_at_the_end(
    dtype: str, sums: str, result: str, missed: int
) -> None:
    data = workload(dtype, sums, result)
    last = int(sums) - 1

    def miss(before: Array, values: Array) -> None:
        """Let the last sum of the last warp miss the value of one lane."""
        rows = slice(last, None) if result == "all" else slice(last // WARP * WARP, None)
        lanes = slice(None) if result == "all" else last % WARP
        number = whole(values, dtype, sums)[-1]
        number[rows, lanes] -= whole(before, dtype, sums)[-1, last, missed] * (1 + (result + sums == "own1"))
        number = number.reshape(-1) % modulus(dtype)
        wrong = 1 + number / modulus(dtype) if dtype in FRACTION else number.astype(np.uint32).view(np.int32)
        values[-number.size :] = wrong.astype(values.dtype)

    assert hidden(data, miss, range(INPUT_SETS)) == []


@pytest.mark.parametrize("result", RESULTS)
def test_a_wrong_lane_in_any_iteration_is_visible_at_the_end(result: str) -> None:
    def flip(_: Array, values: Array) -> None:
        values.view(np.uint32)[-100] ^= np.uint32(1 << 5)  # the lowest bit of u

    assert hidden(workload("f32", "32", result), flip) == []


def test_expected_counts_follow_the_number_of_sums_and_the_result() -> None:
    def counts(variant: str, sums: int, result: str = "own", dtype: str = "f32") -> dict[str, int] | None:
        options = {"sums": str(sums), "result": result}
        return BATCHED.declaration.variant(variant).expected_counts(DTYPES[dtype], options)

    assert [(counts("halving", n) or {})["SHFL"] for n in (1, 2, 4, 8, 16, 32, 64)] == [5, 5, 6, 9, 16, 31, 62]
    assert counts("halving", 32, "all") == {"SHFL": 63}
    assert counts("halving", 1, "all") == {"SHFL": 5}
    assert counts("butterflies", 64) == counts("butterflies", 64, "all") == {"SHFL": 320}
    assert counts("smem", 32) == {"STS": 32, "LDS": 32, "SHFL": 0}
    assert counts("smem", 8) == {"STS": 8, "LDS": 8, "SHFL": 2}
    assert counts("smem", 64, "all") == {"STS": 66, "LDS": 80, "SHFL": 0}
    assert counts("smem-stmatrix", 8) == {"STSM": 2, "LDS": 2, "SHFL": 3, "STS": 0}
    assert counts("smem-stmatrix", 64, "all") == {"STSM": 16, "LDS": 32, "SHFL": 0, "STS": 2}
    assert counts("halving-stmatrix", 16) == {"STSM": 2, "LDS": 2, "SHFL": 9, "STS": 0}
    assert counts("halving-stmatrix", 64, "all") == {"STSM": 8, "LDS": 24, "SHFL": 32, "STS": 2}
    assert counts("mma", 32, dtype="f16") == {"HMMA": 8, "SHFL": 3}
    assert counts("mma", 64, "all", "bf16") == {"HMMA": 16, "SHFL": 70}
    assert counts("mma-split", 2) == {"HMMA": 3, "SHFL": 2}
    assert counts("redux", 16, dtype="i32") == {"REDUX": 16}


@pytest.mark.parametrize("result", RESULTS)
def test_cub_sums_one_by_one_with_each_version_of_its_headers(result: str) -> None:
    """Five shuffles per sum, and one that passes it on, in the unrolled iterations and in the remaining one."""
    iterations = BATCHED.declaration.unroll + 1
    text = ptx(f"sm_90/batched-reduce/cub/f32/sums=32/result={result}")
    assert text.count("shfl.sync") == iterations * 32 * (5 + 1)


@pytest.mark.archs
@pytest.mark.parametrize(
    ("variant", "sums"),
    [
        *(
            (item.name, "1")
            for item in BATCHED.declaration.variants
            if "f32" in (item.dtypes or DTYPE_NAMES) and not item.only
        ),
        *((variant, sums) for variant in ("smem-stmatrix", "halving-stmatrix") for sums in ("8", "64")),
    ],
)
def test_all_lanes_get_the_fewest_and_the_most_sums(variant: str, sums: str) -> None:
    """Other tests take each option with the default of the other one."""
    options = {"sums": sums, "result": "all"}
    case = cases.case(BATCHED.name, variant, "f32", "1x64", options=options)
    kernel, data = Builder(kernels.tools(), "sm_90", kernels.CACHE).build(BATCHED, case), workload("f32", **options)
    assert kernel.violations == ()
    emulated = EmulatorBackend("sm_90").open(call_of(BATCHED, case, kernel, data.setting))
    assert difference(data, execute(emulated.launch(data.inputs(0), 5)), 0, 5) == ""

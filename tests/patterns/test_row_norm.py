from collections.abc import Mapping

import numpy as np
import pytest

from shflbench.cuda.backends.base import Array
from shflbench.measure.verify import difference
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

NORM = load(builtin()["row-norm"])
EQUAL, UNEVEN = 0, 1  # a row of each kind
ONCE: Mapping[int, int] = {}  # elements that a sum does not count exactly once


def workload(dtype: str, length: int, norm: str, launch: str = "1x128") -> Workload:
    return cases.workload(NORM, dtype, launch, options={"length": str(length), "norm": norm})


def rows_of(data: Workload) -> Array:
    return data.inputs(0)[0].reshape(-1, data.setting.whole("length")).astype(np.float32)


def normalized(
    data: Workload, row: int, in_mean: Mapping[int, int] = ONCE, in_squares: Mapping[int, int] = ONCE
) -> Array:
    """Return all results in f32 arithmetic, those of one row with sums in which some elements count differently."""
    _, weight, bias = (array.astype(np.float32) for array in data.inputs(0))
    results = []
    for number, x in enumerate(rows_of(data)):
        counts = [np.ones(len(x), "f4"), np.ones(len(x), "f4")]
        for chosen, changed in zip(counts, (in_mean, in_squares), strict=True):
            for place, count in changed.items() if number == row else ():
                chosen[place] = count
        mean = np.float32(0)
        if data.setting.options["norm"] == "layer":
            mean = np.sum(x * counts[0], dtype="f4") / np.float32(len(x))
        distances = x - mean
        squares = np.sum(distances * distances * counts[1], dtype="f4")
        columns = np.float32(len(x))
        scaled = distances * np.sqrt(columns / (squares + columns * np.float32(1e-5))) * weight.astype("f8")
        if data.setting.options["norm"] == "layer":
            scaled = scaled + bias
        results.append(scaled.astype("f4"))
    return np.concatenate(results).astype(data.inputs(0)[0].dtype)


@pytest.mark.parametrize("norm", ["rms", "layer"])
@pytest.mark.parametrize("dtype", NORM.declaration.dtypes)
@pytest.mark.parametrize("length", [64, 16384])
def test_reference_is_the_formula_in_f32_row_by_row(dtype: str, length: int, norm: str) -> None:
    data = workload(dtype, length, norm)
    assert difference(data, [normalized(data, EQUAL)], 0, 1) == ""


@pytest.mark.parametrize("norm", ["rms", "layer"])
def test_reference_is_the_normalized_row(norm: str) -> None:
    data = workload("f32", 256, norm)
    x, (y,) = rows_of(data).astype("f8"), data.expected(0, 1)
    _, weight, bias = data.inputs(0)
    centered = x - x.mean(axis=1, keepdims=True) if norm == "layer" else x
    exact = centered / np.sqrt(np.square(centered).mean(axis=1, keepdims=True) + 1e-5) * weight
    exact += bias if norm == "layer" else 0
    np.testing.assert_allclose(y.reshape(x.shape).astype("f8"), exact, rtol=4 * 2.0**-24, atol=4 * 2.0**-24)


@pytest.mark.parametrize("dtype", NORM.declaration.dtypes)
@pytest.mark.parametrize("length", [64, 16384])
def test_sums_are_exact_in_any_order(dtype: str, length: int) -> None:
    for index in range(2):
        x = workload(dtype, length, "layer").inputs(index)[0].reshape(-1, length).astype("f8")
        means = x.mean(axis=1, keepdims=True)
        assert (x == np.rint(x)).all()
        assert (means == np.rint(means)).all()
        assert len(set(means.ravel().tolist())) > 1
        for terms in (np.abs(x), np.square(x), np.square(x - means)):
            assert terms.sum(axis=1).max() < 2**24


@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("norm", ["rms", "layer"])
@pytest.mark.parametrize("dtype", NORM.declaration.dtypes)
@pytest.mark.parametrize("length", [64, 16384])
def test_element_that_a_sum_misses_or_counts_twice_is_visible_at_any_place(
    dtype: str, length: int, norm: str, count: int
) -> None:
    data = workload(dtype, length, norm)
    for place in (0, 1, 31, length // 2, length - 1):  # of the first lane, the last one, another warp, the row's end
        wrong = normalized(data, EQUAL, in_squares={place: count})
        assert difference(data, [wrong], 0, 1) != "", place
        if norm == "layer":
            wrong = normalized(data, EQUAL, in_mean={place: count})
            assert difference(data, [wrong], 0, 1) != "", place


@pytest.mark.parametrize("dtype", NORM.declaration.dtypes)
@pytest.mark.parametrize("norm", ["rms", "layer"])
def test_missing_the_largest_element_of_an_uneven_row_changes_the_row(dtype: str, norm: str) -> None:
    data = workload(dtype, 16384, norm, "2x128")
    x = rows_of(data)
    places = np.abs(x - x.mean(axis=1, keepdims=True)).argmax(axis=1)
    wrong = normalized(data, UNEVEN, in_squares={int(places[UNEVEN]): 0})
    assert difference(data, [wrong], 0, 1) != ""
    assert len(set(places[UNEVEN::2].tolist())) == len(x) // 2


def test_rows_repeat_only_where_there_are_millions_of_elements() -> None:
    data = workload("bf16", 16384, "rms", "64x128")
    rows = data.inputs(0)[0].reshape(-1, 16384)
    assert len(rows) == 256
    assert (rows[129:] == rows[:127]).all()
    assert len(np.unique(rows[:129].view("u2"), axis=0)) == 129


@pytest.mark.parametrize(
    ("dtype", "length", "rows"), [("f32", 64, 32), ("f32", 256, 8), ("f32", 512, 4), ("bf16", 64, 64)]
)
def test_all_warps_have_rows_and_each_thread_64_bytes_or_more(dtype: str, length: int, rows: int) -> None:
    data = workload(dtype, length, "layer")
    assert data.buffers[0].elements == rows * length
    assert data.buffers[0].nbytes >= 128 * 64
    assert cases.bytes_moved(data) == (2 * rows + 2) * length * data.setting.dtype.size


@pytest.mark.parametrize(
    ("dtype", "length", "slots"),
    [("f32", 64, 4), ("f32", 256, 2), ("f32", 512, 1), ("bf16", 64, 4), ("bf16", 16384, 1)],
)
def test_smem_warp_has_a_slot_per_thread_and_row_that_it_loads_at_once(dtype: str, length: int, slots: int) -> None:
    data = workload(dtype, length, "rms", "2x256")
    assert NORM.declaration.variant("smem-warp").shared(data.setting) == slots * 256 * 4


@pytest.mark.parametrize(("variant", "shuffles", "factors"), [("shfl-warp", 16, 4), ("halving-warp", 9, 1)])
def test_halving_warp_has_fewer_shuffles_and_one_factor_for_four_rows(
    variant: str, shuffles: int, factors: int
) -> None:
    kernel = kernels.compiled(f"row-norm/{variant}/f32/length=64/load=vector/norm=rms")
    assert kernel.sass is not None
    opcodes = [instruction.opcode for instruction in kernel.sass]
    assert sum(opcode.startswith("SHFL") for opcode in opcodes) == shuffles
    assert sum(opcode == "CALL.REL.NOINC" for opcode in opcodes) == 2 * factors  # slow paths of a quotient and a root


def test_halving_warp_loads_weights_before_it_waits_for_the_rows() -> None:
    kernel = kernels.compiled("row-norm/halving-warp/f32/length=64/load=vector/norm=rms")
    assert kernel.sass is not None
    bases = [instruction.base for instruction in kernel.sass]
    assert bases[: bases.index("SHFL")].count("LDG") == 4 + 1

import numpy as np
import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

DEVICE_REDUCE = load(builtin()["device-reduce"])
DTYPES = DEVICE_REDUCE.declaration.dtypes
PIECE = cases.code_of(DEVICE_REDUCE)["PIECE"]


def workload(dtype: str, launch: str = "2x128") -> Workload:
    return cases.workload(DEVICE_REDUCE, dtype, launch)


@pytest.mark.parametrize("dtype", DTYPES)
def test_reference_is_the_sum_of_all_elements_and_an_empty_workspace(dtype: str) -> None:
    data = workload(dtype)
    for index in range(data.input_sets):
        exact = sum(map(int, data.inputs(index)[0].astype(np.int64).tolist()))
        total, partial, tickets = data.expected(index, 1)
        if dtype == "i32":
            assert int(total[0]) == (exact + 2**31) % 2**32 - 2**31
        else:
            assert total.view(np.float32)[0] == exact
        assert partial.tolist() == [0] * data.setting.grid
        assert tickets.tolist() == [0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_element_that_is_not_added_is_visible(dtype: str) -> None:
    data = workload(dtype)
    (values,), right = data.inputs(0), data.expected(0, 1)
    for place in range(0, values.size, 31):  # all lanes, all warps, both blocks
        lost = values.copy()
        lost[place] = 0
        assert mismatch([cases.code_of(DEVICE_REDUCE)["sum_of"](lost), *right[1:]], right, 0.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_block_that_is_lost_or_added_twice_and_a_ticket_that_remains_are_visible(dtype: str) -> None:
    data = workload(dtype)
    (values,), (total, partial, tickets) = data.inputs(0), data.expected(0, 1)
    first, second = np.split(values, 2)
    for wrong in (first, np.concatenate([values, second])):
        assert mismatch([cases.code_of(DEVICE_REDUCE)["sum_of"](wrong)], [total], 0.0)
    assert mismatch([total, partial, tickets + 1], [total, partial, tickets], 0.0)


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_sums_of_whole_pieces_are_small_positive_integers(dtype: str) -> None:
    (values,) = workload(dtype, "64x1024").inputs(0)
    pieces = values.astype(np.int64).reshape(-1, PIECE)
    assert (pieces == values.astype(np.float64).reshape(pieces.shape)).all()
    assert (pieces != 0).all()
    assert abs(pieces).max() <= 8
    assert set(pieces.sum(axis=1).tolist()) == {1, 2, 3, 4}  # 2^29 elements: at most 2^24, exact in f32


def test_all_bytes_of_the_array_are_read() -> None:
    assert cases.bytes_moved(workload("bf16")) == 2 * 128 * 8 * 2

import numpy as np
import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

STREAM = load(builtin()["stream"])
DTYPES = STREAM.declaration.dtypes


def workload(work: str, dtype: str = "f32") -> Workload:
    return cases.workload(STREAM, dtype, options={"work": work, "per_thread": "8"})


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_copy_is_the_array_itself(dtype: str) -> None:
    data = workload("copy", dtype)
    (values,), (copied,) = data.inputs(0), data.expected(0, 1)
    assert values.size == 2 * 64 * 8
    assert mismatch([copied], [values], 0.0) == ""


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_bit_that_is_not_read_is_visible_in_the_word_of_its_block(dtype: str) -> None:
    data = workload("read", dtype)
    (values,), right = data.inputs(0), data.expected(0, 1)
    words = values.view(np.uint32)
    for place in range(0, words.size, 31):  # all lanes, all warps, both blocks
        changed = words.copy()
        changed[place] ^= np.uint32(1 << place % 32)
        got = STREAM.reference([changed.view(values.dtype)], data.setting, 1)
        wrong = np.flatnonzero(got[0].view(np.uint32) != right[0].view(np.uint32))
        assert wrong.tolist() == [place // (words.size // 2)]


def test_a_copy_moves_twice_the_bytes_of_a_read() -> None:
    array = 2 * 64 * 8 * 4
    assert cases.bytes_moved(workload("copy")) == 2 * array
    assert cases.bytes_moved(workload("read")) == array

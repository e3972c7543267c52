from itertools import pairwise

import numpy as np
import pytest

from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

NEIGHBOR_DIFFERENCE = load(builtin()["neighbor-difference"])
OPTIONS = NEIGHBOR_DIFFERENCE.declaration.options


def workload(dtype: str = "f32", **options: str) -> Workload:
    return cases.workload(NEIGHBOR_DIFFERENCE, dtype, "1x64", options=options)


@pytest.mark.parametrize("dtype", NEIGHBOR_DIFFERENCE.declaration.dtypes)
@pytest.mark.parametrize("strip", OPTIONS["strip"])
@pytest.mark.parametrize("missing", OPTIONS["missing"])
def test_reference_is_the_right_neighbor_minus_the_element(dtype: str, strip: str, missing: str) -> None:
    data = workload(dtype, strip=strip, missing=missing)
    (x,), (result,) = data.inputs(0), data.expected(0, 1)
    assert len(x) == len(result) == 64 * int(strip) - int(missing)
    values = x.tolist()
    differences = [after - before for before, after in pairwise(values)]
    if x.dtype.kind == "i":
        bits = 8 * x.dtype.itemsize
        differences = [(number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for number in differences]
    assert result.tolist() == np.array([*differences, 0], x.dtype).tolist()


def test_neighbor_of_the_wrong_block_is_visible() -> None:
    data = workload()
    (x,), (right,) = data.inputs(0), data.expected(0, 1)
    got = right.copy()
    got[31] = x[0] - x[31]  # the last lane took the first element of its own 32, not of the next
    assert mismatch([got], [right], 0.0).endswith("(1 of 512 are wrong)")


def test_bytes_are_one_read_and_one_write_per_element() -> None:
    assert cases.bytes_moved(workload("f64", strip="8", missing="5")) == (64 * 8 - 5) * (8 + 8)

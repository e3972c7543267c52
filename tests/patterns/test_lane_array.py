import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

LANES = load(builtin()["lane-array"])
DTYPES = LANES.declaration.dtypes
LENGTHS = LANES.declaration.options["length"]
INDICES = LANES.declaration.options["index"]
WARPS = 4


def workload(dtype: str = "f32", length: str = "32", index: str = "random") -> Workload:
    return cases.workload(LANES, dtype, seed=3, options={"length": length, "index": index})


def one_lane(array: Array, index: int, reads: list[int]) -> np.generic:
    """Return the sum of a lane, which reads at `index` plus the offset in `reads`."""
    x = array.dtype.type(0)
    for moved in reads:
        element = array[(index + moved) % len(array)]
        x = x + element
        index = int.from_bytes(element.tobytes(), "little") % len(array)
    return x


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", INDICES)
def test_reference_agrees_with_a_loop_over_the_lanes(dtype: str, length: str, index: str) -> None:
    data = workload(dtype, length, index)
    arrays, start = data.inputs(0)
    for iterations in (0, 1, 51):
        sums = [
            [one_lane(array, first, [0] * iterations) for first in firsts]
            for array, firsts in zip(arrays.reshape(WARPS, -1), start.tolist(), strict=True)
        ]
        assert data.expected(0, iterations)[0].tolist() == sums


@pytest.mark.parametrize("length", LENGTHS)
def test_indices_form_one_cycle_through_the_array(length: str) -> None:
    for array in workload(length=length).inputs(0)[0].reshape(WARPS, -1):
        following = array.view("u4") % len(array)
        place, seen = 0, []
        for _ in array:
            seen.append(place)
            place = int(following[place])
        assert place == 0
        assert sorted(seen) == list(range(len(array)))


@pytest.mark.parametrize("length", LENGTHS)
def test_lanes_start_at_one_index_or_anywhere_as_the_option_says(length: str) -> None:
    together = workload(length=length, index="uniform").inputs(0)[1]
    anywhere = workload(length=length).inputs(0)[1]
    assert together.shape == anywhere.shape == (WARPS, WARP)
    assert [len(set(warp)) for warp in together.tolist()] == [1] * WARPS
    assert all(len(set(warp)) > 2 for warp in anywhere.tolist())
    assert 0 <= anywhere.min() <= anywhere.max() < int(length)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", INDICES)
def test_read_of_the_next_element_in_any_iteration_is_visible_at_the_end(dtype: str, index: str) -> None:
    data = workload(dtype, index=index)
    arrays, start = data.inputs(0)
    for iterations in data.verify_iterations:
        for iteration in range(iterations):
            reads = [0] * iterations
            reads[iteration] = 1
            (right,) = data.expected(0, iterations)
            wrong = right.copy()
            wrong[-1, 5] = one_lane(arrays.reshape(WARPS, -1)[-1], int(start[-1, 5]), reads)
            assert mismatch([wrong], [right], 0.0).endswith("(1 of 128 are wrong)"), iteration


@pytest.mark.parametrize("dtype", DTYPES)
def test_warps_have_different_arrays_of_different_elements(dtype: str) -> None:
    arrays = workload(dtype, "64").inputs(0)[0].reshape(WARPS, -1)
    assert all(len(set(array)) == 64 for array in arrays.tolist())
    assert (arrays[:-1] == arrays[1:]).mean() < 0.05

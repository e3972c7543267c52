import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

PRIVATE = load(builtin()["private-array"])
DTYPES = PRIVATE.declaration.dtypes
LENGTHS = PRIVATE.declaration.options["length"]
INDICES = PRIVATE.declaration.options["index"]
THREADS = 128


def workload(dtype: str = "f32", length: str = "32", index: str = "random", math: str = "0") -> Workload:
    return cases.workload(PRIVATE, dtype, options={"length": length, "index": index, "math": math})


def bits(element: np.generic) -> int:
    return int.from_bytes(element.tobytes(), "little")


def one_thread(own: Array, index: int, math: int, reads: list[int]) -> np.generic:
    """Return the sum of a thread with the array `own`, which reads at `index` plus the offset in `reads`."""
    x = own.dtype.type(0)
    for moved in reads:
        element = own[(index + moved) % len(own)]
        for _ in range(1 + math):
            x = x + element
        index = bits(element) % 256
    return x


def own_arrays(arrays: Array, length: int) -> list[Array]:
    """Return each thread's array: in the block of its warp, elements i of all lanes lie side by side."""
    block = WARP * length
    firsts = [thread // WARP * block + thread % WARP for thread in range(THREADS)]
    return [arrays[first : first + block - WARP + 1 : WARP] for first in firsts]


def last_thread(data: Workload, length: str, math: str, reads: list[int]) -> np.generic:
    arrays, start = data.inputs(0)
    return one_thread(own_arrays(arrays, int(length))[-1], int(start[-1, -1]), int(math), reads)


def indices(data: Workload, length: int, count: int) -> Array:
    """Return the indices that each thread reads, of shape [iterations, warps, 32]."""
    arrays, start = data.inputs(0)
    rows = own_arrays(arrays, length)
    index = start.ravel().tolist()
    read = []
    for _ in range(count):
        read.append(index)
        index = [bits(row[at]) % 256 for row, at in zip(rows, index, strict=True)]
    return np.array(read).reshape(count, -1, WARP)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("math", ["0", "1", "16"])
@pytest.mark.parametrize("index", INDICES)
def test_reference_agrees_with_a_loop_over_the_threads(dtype: str, index: str, math: str) -> None:
    data = workload(dtype, "32", index, math)
    arrays, start = data.inputs(0)
    for iterations in (0, 1, 15):
        sums = [
            one_thread(own, first, int(math), [0] * iterations)
            for own, first in zip(own_arrays(arrays, 32), start.ravel().tolist(), strict=True)
        ]
        assert data.expected(0, iterations)[0].tolist() == sums


@pytest.mark.parametrize("length", LENGTHS)
def test_indices_form_one_cycle_through_the_array(length: str) -> None:
    for index in INDICES:
        read = indices(workload(length=length, index=index), int(length), int(length) + 1).reshape(-1, THREADS)
        assert np.array_equal(read[0], read[-1])
        assert np.array_equal(np.sort(read[:-1], axis=0), np.tile(np.arange(int(length))[:, None], (1, THREADS)))


@pytest.mark.parametrize("length", LENGTHS)
def test_lanes_read_the_same_index_or_different_ones_as_the_option_says(length: str) -> None:
    def different(index: str) -> list[int]:
        """Return how many indices each warp reads in each iteration."""
        read = indices(workload(length=length, index=index), int(length), 8)
        return [len(set(warp)) for iteration in read.tolist() for warp in iteration]

    assert set(different("uniform")) == {1}
    assert set(different("worst")) == {min(int(length), WARP)}
    random = different("random")
    assert np.mean(random) == pytest.approx(int(length) * (1 - (1 - 1 / int(length)) ** WARP), rel=0.1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("math", ["0", "16"])
@pytest.mark.parametrize("index", INDICES)
def test_read_of_the_next_element_in_any_iteration_is_visible_at_the_end(dtype: str, index: str, math: str) -> None:
    data = workload(dtype, "32", index, math)
    for iterations in data.verify_iterations:
        for iteration in range(iterations):
            reads = [0] * iterations
            reads[iteration] = 1
            (right,) = data.expected(0, iterations)
            wrong = right.copy()
            wrong[-1] = last_thread(data, "32", math, reads)
            assert mismatch([wrong], [right], 0.0).endswith(f"(1 of {THREADS} are wrong)"), iteration


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_differ_between_threads_even_if_their_indices_are_equal(dtype: str) -> None:
    arrays = workload(dtype, index="uniform").inputs(0)[0].reshape(THREADS, 32)
    assert 1 <= arrays.min() <= arrays.max() < 2
    neighbors = arrays[:-1] == arrays[1:]
    assert neighbors.mean() < 0.01

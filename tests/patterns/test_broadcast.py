import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after

BROADCAST = load(builtin()["broadcast"])
DTYPES = BROADCAST.declaration.dtypes
VALUES = BROADCAST.declaration.options["values"]


def workload(dtype: str, values: str) -> Workload:
    return cases.workload(BROADCAST, dtype, options={"values": values})


def later(sources: Array, count: int) -> Array:
    """Return the source lane of each warp some iterations later."""
    return np.asarray(sources.astype(np.int32) + count)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("iterations", [0, 1, 33, 51])
def test_reference_agrees_with_a_loop_over_the_lanes(dtype: str, values: str, iterations: int) -> None:
    data = workload(dtype, values)
    numbers, sources = data.inputs(0)
    count, size = int(values), 2 ** (8 * numbers.dtype.itemsize)
    flat = numbers.view(f"u{numbers.dtype.itemsize}").tolist()
    for warp, first in enumerate(sources.tolist()):
        lanes = [flat[(warp * WARP + lane) * count :][:count] for lane in range(WARP)]
        for iteration in range(iterations):
            taken = lanes[(first + iteration) % WARP]
            lanes = [[(own + 2 * other) % size for own, other in zip(lane, taken, strict=True)] for lane in lanes]
        flat[warp * WARP * count : (warp + 1) * WARP * count] = [number for lane in lanes for number in lane]
    got = after(data, iterations, numbers, sources).reshape(-1)
    assert got.view(f"u{numbers.dtype.itemsize}").tolist() == flat


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_wrong_source_of_one_lane_in_any_iteration_is_visible_at_the_end(dtype: str, values: str) -> None:
    data = workload(dtype, values)
    for iterations in data.verify_iterations:
        numbers, sources = data.inputs(0)
        for iteration in range(iterations):
            before = after(data, iteration, numbers, sources)
            wrong = after(data, 1, before, later(sources, iteration))
            wrong[-1, 5, -1] = after(data, 1, before, later(sources, iteration + 1))[-1, 5, -1]  # of the next lane
            got = after(data, iterations - iteration - 1, wrong, later(sources, iteration + 1))
            assert mismatch([got], data.expected(0, iterations), 0.0), iteration


@pytest.mark.parametrize("dtype", DTYPES)
def test_lanes_stay_different_over_many_iterations(dtype: str) -> None:
    data = workload(dtype, "1")
    late = after(data, 4096, *data.inputs(0))
    assert all(len(set(warp)) == WARP for warp in late.view(f"u{late.dtype.itemsize}").reshape(-1, WARP).tolist())


def test_sources_differ_from_warp_to_warp() -> None:
    data = workload("f32", "1")
    sources = np.concatenate([data.inputs(index)[1] for index in range(INPUT_SETS)])
    assert len(set(sources.tolist())) > WARP / 2
    assert sources.dtype == np.int32
    assert 0 <= sources.min() <= sources.max() < WARP

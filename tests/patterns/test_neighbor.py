from itertools import combinations

import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

NEIGHBOR = load(builtin()["neighbor"])
DTYPES = NEIGHBOR.declaration.dtypes
MODES = NEIGHBOR.declaration.options["mode"]
MIXING = tuple(mode for mode in MODES if mode != "idx")


def workload(dtype: str, mode: str) -> Workload:
    return cases.workload(NEIGHBOR, dtype, options={"mode": mode})


def words(values: Array) -> Array:
    """Return the bits as unsigned integers, of shape [warps, 32] or [warps, 32, components]."""
    return values.view(f"u{values.dtype.itemsize}")


def source(lane: int, mode: str) -> int:
    """Return the source lane of `lane` in hardware: itself if there is no other."""
    wanted = {"idx": (lane + 1) % WARP, "up": lane - 1, "down": lane + 1, "xor": lane ^ 1}[mode]
    return wanted if 0 <= wanted < WARP else lane


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("iterations", [0, 1, 31, 32, 51])
def test_reference_agrees_with_a_loop_over_the_lanes(dtype: str, iterations: int, mode: str) -> None:
    data = workload(dtype, mode)
    (values,) = data.inputs(0)
    by_component = words(values).reshape(len(values), WARP, -1).transpose(0, 2, 1)
    warps = by_component.reshape(-1, WARP).tolist()
    size = 2 ** (8 * values.dtype.itemsize)
    for _ in range(iterations):
        taken = [[warp[source(lane, mode)] for lane in range(WARP)] for warp in warps]
        if mode == "idx":
            warps = taken
        else:
            warps = [
                [(own + 2 * other) % size for own, other in zip(*both, strict=True)]
                for both in zip(warps, taken, strict=True)
            ]
    got = words(after(data, iterations, values)).reshape(len(values), WARP, -1).transpose(0, 2, 1)
    assert got.reshape(-1, WARP).tolist() == warps


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lane", [0, 5, 31])
def test_wrong_lane_in_any_iteration_is_visible_at_the_end(dtype: str, lane: int, mode: str) -> None:
    def leave(before: Array, values: Array) -> None:
        values[-1, lane] = before[-1, lane]

    assert hidden(workload(dtype, mode), leave) == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_wrong_lane_of_the_plain_move_stays_one_wrong_element(dtype: str) -> None:
    data = workload(dtype, "idx")
    (values,) = data.inputs(0)
    wrong = after(data, 1, values)
    wrong[-1, 5] = values[-1, 5]
    differ = words(after(data, 50, wrong)) != words(after(data, 51, values))
    assert int(differ.reshape(4, WARP, -1).any(2).sum()) == 1


@pytest.mark.parametrize("mode", MIXING)
def test_no_iteration_loses_a_difference_between_lanes(mode: str) -> None:
    """x + 2·received is a matrix that is the identity modulo 2: its determinant is odd, so it has an inverse."""
    matrix = np.eye(WARP, dtype=np.int64)
    for lane in range(WARP):
        matrix[lane, source(lane, mode)] += 2
    assert round(np.linalg.det(matrix)) % 2 == 1


def test_every_mode_gives_another_result() -> None:
    (values,) = workload("i32", "idx").inputs(0)
    results = [after(workload("i32", mode), 1, values).tolist() for mode in MODES]
    assert all(one != other for one, other in combinations(results, 2))


@pytest.mark.parametrize("mode", MODES)
def test_bits_must_agree(mode: str) -> None:
    assert [NEIGHBOR.tolerance(workload(dtype, mode).setting, 51) for dtype in DTYPES] == [0.0] * len(DTYPES)

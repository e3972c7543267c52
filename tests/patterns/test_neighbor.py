from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from shflbench.measure.verify import mismatch
from shflbench.measure.workload import Workload
from shflbench.model import DTYPES, WARP, Case, Launch
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from shflbench.backends.base import Array

NEIGHBOR = load(builtin()["neighbor"])
UNROLL = NEIGHBOR.declaration.unroll


def workload(dtype: str) -> Workload:
    return Workload.of(NEIGHBOR, Case("neighbor", "shfl", dtype, Launch("2x64", 64, 2), 4096), threads=128, seed=3)


def rotated(values: Array, iterations: int) -> Array:
    """Return what the pattern's reference gives."""
    return np.asarray(NEIGHBOR.reference(values, iterations=iterations))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("iterations", [0, 1, 31, 32, 51])
def test_reference_is_what_lane_after_lane_gives(dtype: str, iterations: int) -> None:
    (values,) = workload(dtype).inputs(0)
    lanes = values.tolist()
    for _ in range(iterations):
        lanes = [[warp[(lane + 1) % WARP] for lane in range(WARP)] for warp in lanes]
    assert rotated(values, iterations).tolist() == lanes


@pytest.mark.parametrize("dtype", DTYPES)
def test_wrong_lane_in_any_trip_is_visible_at_the_end(dtype: str) -> None:
    data = workload(dtype)
    for iterations in data.verify_iterations:
        for trip in range(iterations):
            before = rotated(data.inputs(0)[0], trip)
            after = rotated(before, 1)
            after[-1, 5] = before[-1, 5]  # this lane kept its own value
            got = rotated(after, iterations - trip - 1)
            assert mismatch([got], data.expected(0, iterations), 0.0).endswith("(1 of 128 are wrong)"), trip


@pytest.mark.parametrize("passes", [1, 3])
def test_lost_passes_through_the_unrolled_loop_are_visible_at_the_end(passes: int) -> None:
    data = workload("f32")
    iterations = max(data.verify_iterations)
    assert iterations >= passes * UNROLL
    got = rotated(data.inputs(0)[0], iterations - passes * UNROLL)
    assert mismatch([got], data.expected(0, iterations), 0.0)


def test_bits_must_agree() -> None:
    assert [NEIGHBOR.tolerance(dtype, 51) for dtype in DTYPES.values()] == [0.0] * 4

import numpy as np
import pytest

from shflbench.core import model
from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

LAST = load(builtin()["broadcast-last"])
DTYPES = LAST.declaration.dtypes


def workload(dtype: str) -> Workload:
    return cases.workload(LAST, dtype)


def words(values: Array) -> Array:
    """Return the bits as unsigned integers."""
    return values.view(f"u{values.dtype.itemsize}")


def last_lane(warp: list[int]) -> int | None:
    """Return the last lane whose predicate is true: bits 19 to 22 are 5."""
    return max((lane for lane, bits in enumerate(warp) if (bits >> 19) % 16 == 5), default=None)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("iterations", [0, 1, 15, 51])
def test_reference_agrees_with_a_loop_over_the_lanes(dtype: str, iterations: int) -> None:
    data = workload(dtype)
    (values,) = data.inputs(0)
    size = 2 ** (8 * values.dtype.itemsize)
    warps = words(values).tolist()
    for _ in range(iterations):
        lasts = [last_lane(warp) for warp in warps]
        warps = [
            [(own + 2 * (own if last is None else warp[last])) % size for own in warp]
            for warp, last in zip(warps, lasts, strict=True)
        ]
    assert words(after(data, iterations, values)).tolist() == warps


@pytest.mark.parametrize("dtype", DTYPES)
def test_predicate_changes_and_is_sometimes_false_in_all_lanes_within_the_verified_iterations(dtype: str) -> None:
    data = workload(dtype)
    seen: list[int | None] = []
    for index in range(INPUT_SETS):
        for iteration in range(max(data.verify_iterations)):
            seen += [last_lane(warp) for warp in words(after(data, iteration, *data.inputs(index))).tolist()]
    assert 0.05 < seen.count(None) / len(seen) < 0.3
    assert len({lane for lane in seen if lane is not None}) > WARP / 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_predicate_keeps_changing_over_many_iterations(dtype: str) -> None:
    data = workload(dtype)
    late = after(data, 4096, *data.inputs(0))
    seen = [last_lane(warp) for iteration in range(64) for warp in words(after(data, iteration, late)).tolist()]
    assert None in seen
    assert len(set(seen)) > WARP / 2


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lane", [0, 5, 31])
def test_lane_that_keeps_its_own_value_in_any_iteration_is_visible_at_the_end(dtype: str, lane: int) -> None:
    def keep(before: Array, values: Array) -> None:
        words(values)[-1, lane] = words(before)[-1, lane] + np.array(1).astype(words(before).dtype)

    assert hidden(workload(dtype), keep) == []


def test_a_redux_is_followed_by_a_shuffle_per_word() -> None:
    redux = LAST.declaration.variant("redux")
    counts = [redux.expected_counts(model.DTYPES[dtype], {}) for dtype in ("i32", "f64")]
    assert counts == [{"REDUX": 1, "SHFL": 1}, {"REDUX": 1, "SHFL": 2}]

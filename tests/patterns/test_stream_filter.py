import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

FILTER = load(builtin()["stream-filter"])
OPTIONS = FILTER.declaration.options
STRIP = FILTER.declaration.buffers[0].per_thread * WARP


def workload(order: str = "ordered", keep: str = "0.5", dtype: str = "f32") -> Workload:
    return cases.workload(FILTER, dtype, options={"order": order, "keep": keep})


def filtered(values: Array, keep: float) -> tuple[Array, Array]:
    """Return the result of a loop over the warps and their elements."""
    kept, counts = np.zeros_like(values), []
    for warp, strip in enumerate(values.tolist()):
        front = [x for x in strip if x < values.dtype.type(keep)]
        kept[warp, : len(front)] = front
        counts.append(len(front))
    return kept, np.array(counts, dtype=np.int32)


def differs(data: Workload, *got: Array) -> str:
    return mismatch(list(got), data.expected(0, 1), 0.0, data.unordered)


@pytest.mark.parametrize("dtype", FILTER.declaration.dtypes)
@pytest.mark.parametrize("order", OPTIONS["order"])
@pytest.mark.parametrize("keep", OPTIONS["keep"])
def test_reference_agrees_with_a_loop_over_the_elements(order: str, keep: str, dtype: str) -> None:
    data = workload(order, keep, dtype)
    assert differs(data, *filtered(data.inputs(0)[0], float(keep))) == ""


def test_order_matters_only_if_the_option_says_so() -> None:
    ordered, unordered = workload("ordered"), workload("unordered")
    kept, counts = filtered(ordered.inputs(0)[0], 0.5)
    kept[1, [0, 1]] = kept[1, [1, 0]]
    assert "(2 of 512 are wrong)" in differs(ordered, kept, counts)
    assert differs(unordered, kept, counts) == ""


@pytest.mark.parametrize("order", OPTIONS["order"])
def test_element_that_is_lost_doubled_or_given_to_another_warp_is_visible(order: str) -> None:
    data = workload(order)
    right, counts = filtered(data.inputs(0)[0], 0.5)
    lost, doubled, strayed = right.copy(), right.copy(), right.copy()
    lost[2, 3] = 0
    doubled[2, 3] = doubled[2, 4]
    strayed[2, 3], strayed[1, 3] = right[1, 3], right[2, 3]
    assert all(differs(data, wrong, counts) for wrong in (lost, doubled, strayed))


def test_wrong_count_is_visible() -> None:
    data = workload()
    kept, counts = filtered(data.inputs(0)[0], 0.5)
    counts[3] += 1
    assert differs(data, kept, counts)


@pytest.mark.parametrize("keep", OPTIONS["keep"])
def test_inputs_keep_the_share_of_the_option_and_all_or_none_of_a_step(keep: str) -> None:
    data = cases.workload(FILTER, "f32", "16x256", options={"order": "ordered", "keep": keep})
    values = data.inputs(0)[0].astype(np.float32)
    is_kept = np.less(values, np.float32(keep))
    assert abs(is_kept.mean() - float(keep)) < 0.02
    assert is_kept[0, :WARP].all()
    assert not is_kept[0, WARP : 2 * WARP].any()
    assert values.min() >= 0
    assert values.max() < 1


def test_bytes_moved_are_those_read_kept_and_counted() -> None:
    assert cases.bytes_moved(workload(keep="0.1")) == round(4 * STRIP * 4 * 1.1) + 4 * 4

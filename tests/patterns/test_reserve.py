import numpy as np
import pytest

from shflbench.core.model import DTYPES
from shflbench.cuda.backends.base import Array
from shflbench.measure.agreement import mismatch
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

RESERVE = load(builtin()["reserve"])
WORK = cases.workload(RESERVE, "i32")


def differs(*got: Array) -> str:
    return mismatch(list(got), WORK.expected(0, 1), 0.0, WORK.unordered)


def handed_out(order: Array) -> tuple[Array, Array]:
    """Return the counter and the slots after reservations in this order of threads."""
    (queue,) = WORK.inputs(0)
    free = int(queue[0])
    slots = np.zeros(order.size, dtype=np.int32)
    for thread in order.tolist():
        slots[thread] = free
        free += 1
    return np.array([free], dtype=np.int32), slots


def test_reference_agrees_with_reservations_in_any_order() -> None:
    assert differs(*handed_out(np.arange(128))) == ""
    assert differs(*handed_out(np.random.default_rng(0).permutation(128))) == ""


@pytest.mark.parametrize("thread", [0, 31, 32, 127])
def test_slot_reserved_twice_is_visible(thread: int) -> None:
    free, slots = handed_out(np.arange(128))
    slots[thread] = slots[thread - 1]
    assert differs(free, slots)


def test_slot_reserved_by_no_thread_is_visible() -> None:
    free, slots = handed_out(np.arange(128))
    slots[slots == slots.max()] += 1
    assert differs(free, slots)


def test_lost_reservation_is_visible() -> None:
    free, slots = handed_out(np.arange(128))
    assert differs(free - 32, slots)


def test_queue_starts_at_a_different_slot_in_each_input_set() -> None:
    starts = {int(WORK.inputs(index)[0][0]) for index in range(WORK.input_sets)}
    assert len(starts) == WORK.input_sets
    assert 0 not in starts


@pytest.mark.parametrize("launch", [(1, 32), (264, 1024), (265, 1024), (9000, 32), (16384, 256), (65535, 992)])
def test_at_most_264_blocks_of_one_addition_share_all_slots(launch: tuple[int, int]) -> None:
    declared = RESERVE.declaration
    at = Setting(DTYPES["i32"], {}, *launch)
    dims = declared.variant("leader-block-once").launch_dims(at)
    assert dims is not None
    blocks = dims.grid[0]
    (of_block,) = (int(scalar.value(at)) for scalar in declared.scalars if scalar.name == "slots_of_block")
    assert dims.block[0] == 1024
    assert blocks <= 264
    assert (blocks - 1) * of_block < at.threads <= blocks * of_block


def test_the_elected_lane_is_chosen_by_the_instruction() -> None:
    kernel = kernels.compiled("reserve/elect/i32")
    assert kernel.sass is not None
    assert "ELECT" in {instruction.base for instruction in kernel.sass}

"""Why a candidate is not measured at a launch: what an SM holds."""

import pytest

from shflbench.advice.tuner.candidates import unfit_reason
from shflbench.core.arch import load
from shflbench.core.arch.residency import SmCapacity, occupancy


def reason(registers: int, shared_bytes: int, block: int, blocks: int) -> str:
    figures = load("sm_90")
    assert figures
    capacity = SmCapacity.of(figures)
    assert capacity
    return unfit_reason(occupancy(capacity, registers, shared_bytes, block), blocks)


def test_a_kernel_fits_where_as_many_blocks_are_resident_as_the_launch_has() -> None:
    assert reason(32, 0, 1024, 2) == ""


def test_a_kernel_with_too_many_registers_for_full_residency_is_unfit() -> None:
    assert reason(40, 0, 1024, 2) == "1 block fits an SM, because of its registers, and the launch has 2 per SM"


def test_a_kernel_with_too_much_shared_memory_is_unfit() -> None:
    assert reason(32, 60_000, 256, 8) == (
        "3 blocks fit an SM, because of its shared memory, and the launch has 8 per SM"
    )


def test_a_block_that_fits_no_sm_is_unfit_at_any_launch() -> None:
    assert reason(32, 300_000, 256, 1) == "a block does not fit an SM, because of its shared memory"


@pytest.mark.parametrize("blocks", [3, 64])
def test_where_the_threads_alone_are_too_many_a_kernel_with_as_many_blocks_fits(blocks: int) -> None:
    assert reason(32, 0, 1024, blocks) == ""
    assert reason(40, 0, 1024, blocks).startswith("1 block fits an SM")

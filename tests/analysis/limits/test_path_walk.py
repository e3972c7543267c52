"""The clocks of a block on its path."""

from dataclasses import replace

import pytest

from shflbench.analysis.limits.kernel_path import path_of
from shflbench.analysis.limits.path_prices import DEFAULTS, PathPrices
from shflbench.analysis.limits.path_walk import BlockClocks, walk
from shflbench.core.model import ScheduledInstruction
from tests.analysis.limits.paths import placed
from tests.analysis.limits.timed import item

SHARP = replace(DEFAULTS, power=64.0)  # where the longest of several times hides the others


def clocks(*items: ScheduledInstruction | str, warps: int = 1, prices: PathPrices = SHARP) -> BlockClocks:
    """Return those of a pass through a timed loop."""
    path = path_of(placed(*items, item("BRA 0x0", stall=5)), None, passes=1, is_loop=True)
    return walk(path, warps, prices, is_loop=True)


def test_one_warp_waits_for_its_results() -> None:
    shuffle, add = (
        item("SHFL.IDX PT, R5, R5, R2, 0x1f", stall=2, writes=0),
        item("FADD R5, R5, R6", stall=5, waits=(0,)),
    )
    assert clocks(shuffle, add).alone == pytest.approx(DEFAULTS.shfl + 5 + 5, rel=0.01)


def test_many_warps_wait_for_the_unit() -> None:
    block = clocks("SHFL.IDX PT, R5, R5, R2, 0x1f", warps=32)
    assert block.units["exchange"] == 32
    assert block.alone >= 32


def test_a_fence_takes_longer_behind_a_store_to_global_memory() -> None:
    fence = item("MEMBAR.ALL.GPU", stall=6)
    alone, stored = clocks(fence).alone, clocks("STG.E [R2], R3", fence).alone
    assert alone == pytest.approx(DEFAULTS.fence + 6 + 5, rel=0.01)
    assert stored - alone == pytest.approx(DEFAULTS.fence_stored - DEFAULTS.fence, rel=0.01)


def test_the_barrier_of_a_cluster_holds_a_warp_from_its_arrival() -> None:
    block = clocks(item("UCGABAR_ARV", stall=6), item("UCGABAR_WAIT", stall=1))
    assert block.alone == pytest.approx(6 + DEFAULTS.cluster_barrier + 5, rel=0.01)


def test_a_look_at_a_barrier_in_memory_waits_for_what_was_sent_to_it() -> None:
    look = item("SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [R8], R11", stall=2, writes=1)
    sent = clocks(item("STAS [R2.64], R5", stall=1), look, item("NOP", stall=1, waits=(1,)))
    queued = DEFAULTS.async_store_clocks
    assert sent.alone == pytest.approx(DEFAULTS.async_store + queued + 1 + 5, rel=0.02)


def test_passes_through_an_inner_loop_beyond_the_first_are_alike() -> None:
    body = placed("IMAD.MOV.U32 R4, RZ, RZ, RZ", item("VIADD R4, R4, 0x1", stall=4), "PLACE", "@P0 BRA 0x10", "EXIT")

    def of(count: int) -> float:
        compare = item(f"ISETP.NE.AND P0, PT, R4, {count:#x}, PT", stall=13).instruction
        items = [
            replace(one, instruction=replace(compare, address=32)) if one.instruction.base == "PLACE" else one
            for one in body
        ]
        return walk(path_of(items, None, passes=1, is_loop=False), 1, SHARP).alone

    assert of(1000) - of(500) == pytest.approx(500 * (4 + 1 + 1), rel=0.01)

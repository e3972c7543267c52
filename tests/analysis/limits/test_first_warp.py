from shflbench.analysis.limits.constants import DEFAULTS
from shflbench.analysis.limits.first_warp import first_warp_clocks
from shflbench.core.model import OnePassCode, ScheduledInstruction
from tests.analysis.limits.timed import code, item

LATENCY = 300.0


def clocks(*items: ScheduledInstruction) -> float:
    return first_warp_clocks(OnePassCode(code(*items)), LATENCY, DEFAULTS)


LOAD = item("LDG.E R4, desc[UR4][R2.64]", stall=2, writes=0)


def test_loads_that_wait_for_one_another_take_their_latencies() -> None:
    dependent = item("LDG.E R6, desc[UR4][R4.64]", stall=2, writes=1, waits=(0,))
    assert clocks(LOAD, dependent, item("FADD R4, R6, R6", waits=(1,))) == 2 * LATENCY + 1


def test_loads_behind_one_another_wait_together() -> None:
    second = item("LDG.E R6, desc[UR4][R2.64]", stall=2, writes=1)
    assert clocks(LOAD, second, item("FADD R4, R6, R4", waits=(0, 1))) == LATENCY + 3


def test_code_behind_the_exit_does_not_count() -> None:
    assert clocks(item("FADD R4, R6, R6", stall=4), item("EXIT"), item("FADD R4, R6, R6", stall=9)) == 4


def test_a_predicated_exit_ends_nothing() -> None:
    assert clocks(item("@P0 EXIT", stall=5), item("FADD R4, R6, R6", stall=4)) == 9


def test_a_warp_waits_for_its_groups_of_copies() -> None:
    start, wait = item("LDGDEPBAR", stall=2), item("DEPBAR.LE SB0, 0x1", stall=1)
    assert clocks(start, wait) == 3
    assert clocks(start, start, wait) == LATENCY + 1

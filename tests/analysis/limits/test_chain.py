"""The time of one warp alone, in clocks per pass."""

import pytest

from shflbench.analysis.limits.chain import cycles_per_pass, results_awaited
from tests.analysis.limits.timed import code, item

LATENCIES = {"SHFL": 24, "LDS": 22, "BAR": 11}
ADD = item("FADD", stall=4, waits=(0,))


def test_stall_counts_add_up_and_none_is_shorter_than_a_clock() -> None:
    assert cycles_per_pass(code(item("FADD", stall=4), item("MOV", stall=2), item("BRA", stall=0)), {}) == 7


def test_an_instruction_waits_for_the_latency_of_the_one_that_holds_its_scoreboard() -> None:
    loop = code(item("SHFL.IDX", stall=2, writes=0), ADD)
    assert cycles_per_pass(loop, LATENCIES) == 24 + 4
    assert cycles_per_pass(loop, {}) == 2 + 4  # unknown latency: no more than the stall counts


def test_a_stall_that_is_longer_than_the_latency_hides_it() -> None:
    assert cycles_per_pass(code(item("SHFL", stall=15, writes=0), ADD), {"SHFL": 10}) == 15 + 4


def test_other_scoreboards_are_not_waited_for() -> None:
    loop = code(item("SHFL", stall=2, writes=1), item("FADD", stall=4, waits=(0, 2)))
    assert cycles_per_pass(loop, LATENCIES) == 2 + 4


@pytest.mark.parametrize("scoreboards", [(0, 0), (0, 1)])
def test_the_last_of_several_results_decides(scoreboards: tuple[int, int]) -> None:
    first, second = scoreboards
    loop = code(
        item("SHFL", stall=2, writes=first), item("LDS", stall=1, writes=second), item("FADD", stall=4, waits=(0, 1))
    )
    assert cycles_per_pass(loop, {"SHFL": 24, "LDS": 10}) == 24 + 4
    assert cycles_per_pass(loop, {"SHFL": 24, "LDS": 30}) == 2 + 30 + 4


def test_a_result_of_one_pass_is_waited_for_in_the_next() -> None:
    assert cycles_per_pass(code(ADD, item("SHFL", stall=2, writes=0)), LATENCIES) == 24 + 4


def test_operands_are_read_before_the_result_is_there() -> None:
    loop = code(item("LDS", stall=1, reads=0), ADD)
    assert cycles_per_pass(loop, LATENCIES) == 1 + 4


def test_instructions_that_some_passes_skip_take_no_time() -> None:
    skipped = item("SHFL", stall=15, writes=0, always=False)
    assert cycles_per_pass(code(skipped, ADD), LATENCIES) == 4


def test_a_barrier_takes_its_constant_even_with_a_short_stall() -> None:
    loop = code(item("BAR.SYNC", stall=1), item("FADD", stall=4))
    assert cycles_per_pass(loop, LATENCIES) == 11 + 4
    assert cycles_per_pass(loop, {}) == 1 + 4


@pytest.mark.parametrize("skippable", ["@P0 SHFL.IDX", "@!P1 BAR.SYNC"])
def test_what_all_lanes_may_skip_has_no_latency(skippable: str) -> None:
    loop = code(item(skippable, stall=2, writes=0), ADD)
    assert cycles_per_pass(loop, LATENCIES) == 2 + 4
    assert results_awaited(loop) == ()


def test_an_arrival_at_a_barrier_does_not_wait() -> None:
    assert cycles_per_pass(code(item("BAR.ARV", stall=1), ADD), LATENCIES) == 1 + 4


@pytest.mark.parametrize("opcode", ["LDG.E.STRONG.GPU", "LDG.E.64.STRONG.SYS", "ATOMG.E.ADD.STRONG.GPU"])
def test_loads_that_bypass_l1_and_atomics_take_the_latency_of_l2(opcode: str) -> None:
    loop = code(item(opcode, stall=2, writes=0), ADD)
    assert cycles_per_pass(loop, {"LDG": 32, "ATOMG": 32, "L2": 200}) == 200 + 4
    assert results_awaited(loop) == ("L2",)


@pytest.mark.parametrize("opcode", ["LDG.E", "LDG.E.SYS", "LDG.E.STRONG.SM"])
def test_other_loads_may_hit_l1(opcode: str) -> None:
    assert cycles_per_pass(code(item(opcode, stall=2, writes=0), ADD), {"LDG": 32, "L2": 200}) == 32 + 4


def test_awaited_results_are_named_once_and_without_known_ones() -> None:
    loop = code(
        item("LDS", writes=0),
        item("MATCH.ANY", writes=1),
        item("MUFU.RCP", writes=2),
        "BAR.SYNC",
        item("FADD", waits=(0, 1)),
    )
    assert results_awaited(loop) == ("BAR", "LDS", "MATCH")
    assert results_awaited(loop, {"LDS": 23, "BAR": 11}) == ("MATCH",)

"""The time of one warp alone, in clocks per pass."""

from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path

import pytest

from shflbench.analysis.limits.bound import LATENCY, Residency, limit
from shflbench.analysis.limits.chain import cycles_per_pass, results_awaited
from shflbench.core.arch import load
from shflbench.core.model import TimedCode
from shflbench.kernel_facts.stored_code import stored_codes
from shflbench.store import Run, read_run
from tests.analysis.limits.timed import code, item

RUN = Path(__file__).parents[3] / "results" / "residency" / "nvidia-h200"
VALUES = "broadcast/smem/f32/sms x 32/1024/values=4"  # with barriers, and arithmetic behind them
VOTE = "vote/smem/i32/sms x 32/1024/op=any"
LOCAL = "lane-array/local/f32/sms x 32/1024/length=32/index=uniform"  # loads that depend on each other
CASES = (VALUES, VOTE, LOCAL)
ACCESSES = {"LDS", "STS"}
LATENCIES = {"SHFL": 24, "LDS": 22, "BAR": 11}
ADD = item("FADD", stall=4, waits=(0,))


@pytest.fixture(scope="module")
def run() -> Run:
    return read_run(RUN)


@pytest.fixture(scope="module")
def one_warp(run: Run) -> Mapping[str, TimedCode]:
    """Return timed loops that an H200 executed with one warp per SM."""
    codes = stored_codes(run.kernels(), CASES)
    return {case: code.loop for case, code in codes.items() if code.loop}


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


@pytest.mark.parametrize("access", ["STS [R0], R1", "LDS R1, [R0]", "@P0 STS [R0], R1", "ATOMS.ADD R1, [R0], R2"])
def test_an_access_to_shared_memory_waits_for_the_barrier_even_with_a_short_stall(access: str) -> None:
    loop = code(item("BAR.SYNC", stall=1), item(access, stall=4))
    assert cycles_per_pass(loop, LATENCIES) == 11 + 4
    assert cycles_per_pass(loop, {}) == 1 + 4


def test_a_barrier_waits_for_the_one_before() -> None:
    assert cycles_per_pass(code(item("BAR.SYNC", stall=1), item("FADD", stall=4)), LATENCIES) == 11
    assert cycles_per_pass(code(item("BAR.SYNC", stall=1), item("BAR.SYNC", stall=1)), LATENCIES) == 2 * 11


@pytest.mark.parametrize(("clocks", "exposed"), [(4, 11), (10, 11), (13, 1 + 13)])
def test_arithmetic_behind_a_barrier_runs_while_the_warp_would_wait(clocks: int, exposed: int) -> None:
    loop = code(item("BAR.SYNC", stall=1), item("FADD", stall=clocks), item("STS [R0], R1", stall=4))
    assert cycles_per_pass(loop, LATENCIES) == exposed + 4


@pytest.mark.parametrize("case", CASES)
def test_the_chain_of_one_warp_is_just_shorter_than_its_iteration_on_an_h200(
    case: str, run: Run, one_warp: Mapping[str, TimedCode]
) -> None:
    measured = next(row.cycles_per_iteration for row in run.rows if row.case_id == case)
    sm_90 = load("sm_90")
    assert sm_90
    bound = limit(one_warp[case], sm_90, Residency(warps_per_block=1, warps=1))
    assert measured
    assert bound
    assert 0.9 * measured < bound.parts[LATENCY] < measured


def test_the_compiler_keeps_accesses_six_clocks_behind_a_barrier(one_warp: Mapping[str, TimedCode]) -> None:
    instructions = one_warp[VALUES].instructions
    barriers = [place for place, one in enumerate(instructions) if one.instruction.base == "BAR"]
    behind = [list(takewhile(lambda one: one.instruction.base not in ACCESSES, instructions[at:])) for at in barriers]
    clocks = [sum(max(1, one.control.stall) for one in items) for items in behind]
    assert len(barriers) == 2 * 16
    assert min(clocks) == 6
    assert sum(len(items) > 1 for items in behind) > 16  # most have arithmetic there


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

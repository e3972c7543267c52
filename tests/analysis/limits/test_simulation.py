from dataclasses import replace

import pytest

from shflbench.analysis.limits.constants import PredictionConstants
from shflbench.analysis.limits.simulation import Simulation, Step, StepKind, occupancy_of

CONSTANTS = PredictionConstants(barrier_release=10.0, barrier_per_warp=2.0, barrier_per_other_block=0.0)


def fixed(unit: str = "", occupancy: float = 0.0, stall: float = 1.0, waits: tuple[int, ...] = ()) -> Step:
    return Step(StepKind.FIXED, unit, occupancy, 0.0, 20.0, stall, None, None, waits)


def request(passes: float = 1.0, writes: int | None = 0) -> Step:
    return Step(StepKind.REQUEST, "", passes, 2.0, 24.0, 1.0, writes, None, ())


BARRIER = Step(StepKind.BARRIER, "", 0.0, 0.0, 0.0, 1.0, None, None, ())


def clocks(steps: list[Step], warps: int, blocks: int = 1, passes: int = 1) -> float:
    return Simulation(steps, warps, blocks, CONSTANTS).run(passes)


def test_one_warp_waits_for_its_stall_counts() -> None:
    assert clocks([fixed(stall=4), fixed(stall=5)], warps=1, passes=3) == 27


def test_a_sub_partition_issues_one_instruction_per_clock() -> None:
    assert clocks([fixed()] * 10, warps=4) == 10
    assert clocks([fixed()] * 10, warps=8) == 20


def test_a_busy_unit_delays_the_next_instruction_for_it_but_no_other() -> None:
    assert clocks([fixed("integer", 2.0)] * 4, warps=1) == 7
    assert clocks([fixed("integer", 2.0), fixed()] * 2, warps=1) == 4


def test_a_warp_waits_for_the_result_of_its_request() -> None:
    assert clocks([request(), fixed(waits=(0,))], warps=1) == 25


def test_requests_of_all_warps_take_turns_on_one_path() -> None:
    steps = [request(), fixed(waits=(0,))]
    assert clocks(steps, warps=32, passes=20) == pytest.approx(32 * 20, rel=0.1)
    assert clocks([request(passes=8.0), fixed(waits=(0,))], warps=32, passes=20) == pytest.approx(8 * 32 * 20, rel=0.1)


def test_few_warps_hide_each_others_latency() -> None:
    steps = [request(), fixed(waits=(0,))]
    assert clocks(steps, warps=4, passes=10) == pytest.approx(clocks(steps, warps=1, passes=10), rel=0.05)


@pytest.mark.parametrize("warps", [1, 2, 8, 32])
def test_a_barrier_takes_clocks_for_each_warp_and_until_its_release(warps: int) -> None:
    one, many = (clocks([BARRIER, fixed()], warps, passes=passes) for passes in (1, 11))
    assert (many - one) / 10 == pytest.approx(10 + 2 * warps + 1, abs=1)


def test_blocks_do_not_wait_for_one_another_at_their_barriers() -> None:
    steps = [BARRIER, fixed(stall=100)]
    assert clocks(steps, warps=1, blocks=2, passes=10) < 1.1 * clocks(steps, warps=1, passes=10)


def test_the_result_is_the_same_each_time() -> None:
    steps = [request(), fixed(waits=(0,)), BARRIER, fixed("integer", 2.0)]
    assert len({clocks(steps, warps=16, blocks=4, passes=3) for _ in range(3)}) == 1


def test_reads_of_one_bank_take_turns() -> None:
    three, one = (replace(fixed(), reads=reads, reads_after_last=reads) for reads in ((3, 0), (1, 1)))
    assert clocks([three] * 8, warps=4, passes=10) == pytest.approx(3 * 8 * 10, rel=0.02)
    assert clocks([one] * 8, warps=4, passes=10) == pytest.approx(8 * 10, rel=0.02)


def test_only_the_next_instruction_of_the_same_warp_reuses_operands() -> None:
    step = replace(fixed(), reads=(3, 0), reads_after_last=(1, 0))
    alone = clocks([step] * 8, warps=1, passes=10)
    assert alone == pytest.approx(8 * 10, rel=0.05)
    assert clocks([replace(step, stall=2)] * 8, warps=8, passes=10) > 2 * alone


def test_a_block_starts_where_another_one_ends() -> None:
    steps = [fixed(stall=10)] * 4
    simulation = Simulation(steps, 1, 2, CONSTANTS, later=3)
    assert simulation.run(1) == pytest.approx(3 * 40, abs=3)
    assert len(simulation.ends) == 5
    assert simulation.ends == sorted(simulation.ends)


def test_a_complete_barrier_delays_the_requests_of_other_blocks() -> None:
    steps = [BARRIER, request(passes=2.0), fixed(waits=(0,))]
    free, held = (Simulation(steps, 2, 16, replace(CONSTANTS, barrier_path=path)).run(20) for path in (0.0, 20.0))
    assert held > 1.5 * free


@pytest.mark.parametrize(("place", "clocks_of_path"), [(0, 4.0), (1, 4.0), (2, 1.0), (7, 1.0)])
def test_warps_without_active_lanes_occupy_the_path_for_one_clock(place: int, clocks_of_path: float) -> None:
    assert occupancy_of(replace(request(passes=4.0), active=0.25), place, 8) == clocks_of_path


def test_the_first_warp_always_has_active_lanes() -> None:
    assert occupancy_of(replace(request(passes=4.0), active=0.01), 0, 8) == 4.0

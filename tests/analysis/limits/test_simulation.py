import pytest

from shflbench.analysis.limits.constants import PredictionConstants
from shflbench.analysis.limits.simulation import Simulation, Step, StepKind

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

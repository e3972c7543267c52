"""The waits of a warp, one after another."""

import pytest

from shflbench.analysis.limits.waits import STORE, Latencies, dependent_share, waits_of
from shflbench.core.arch import load
from tests.analysis.limits.test_launched import LOAD, SHARED, WARPS, access, with_operations, work

LATENCIES = Latencies(memory=200, shared=20, shuffle=24, barrier=30)


def test_latencies_are_those_of_the_architecture_and_the_block() -> None:
    h200 = load("sm_90")
    assert h200
    assert Latencies.of(h200, 8) == Latencies(memory=230, shared=23, shuffle=24, barrier=27)
    old = load("sm_75")
    assert old
    assert Latencies.of(old, 8) is None


def test_each_kind_of_wait_is_added_up_per_warp() -> None:
    done = with_operations(work(access(LOAD, 2 * WARPS), access(LOAD, WARPS, SHARED)), BARRIER=3 * WARPS, SHUFFLE=WARPS)
    waits = waits_of(done, LATENCIES)
    assert (waits.memory, waits.shared, waits.shuffles, waits.barriers) == (400, 20 + STORE, 24, 90)
    assert waits.clocks == 400 + 25 + 24 + 90


@pytest.mark.parametrize(("loads", "barriers", "share"), [(8, 2, 0.25), (8, 0, 0.125), (2, 8, 1.0), (0, 8, 0.0)])
def test_loads_between_two_barriers_wait_together(loads: int, barriers: int, share: float) -> None:
    done = with_operations(work(access(LOAD, loads * WARPS, SHARED)), BARRIER=barriers * WARPS)
    assert dependent_share(done if loads else with_operations(work(), BARRIER=barriers)) == share

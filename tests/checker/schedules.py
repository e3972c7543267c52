"""Run kernels under fewer schedules: for those that differ little from others, which all ten schedules run.

Tests of what a check is given, and of what is made of its report, need a check, but none of what only a certain
schedule shows: `tests/checker/test_planted_kernels.py` and the folders `emulator`, `fixes` and `runs` need all of them.
"""

from collections.abc import Sequence
from functools import partial

import pytest

from shflbench.core.model import WARP
from shflbench.emulator.explore import explore
from shflbench.emulator.machine.policies import EVERY, LOCKSTEP, POLICIES, Policy
from shflbench.emulator.machine.threads import Shape, ThreadSet, regular
from shflbench.measure.workload import Workload

_CHECK = "shflbench.checker.given"


def _pairs_of_lanes(shape: Shape) -> list[ThreadSet]:
    return [regular(shape, EVERY, slice(lane, lane + 2)) for lane in range(0, WARP, 2)]


# With "odd lanes first", it lets any two lanes run apart, as 32 groups of one lane do, in half of the time. Not groups
# of every fourth lane: NumPy 2.4.6 negates such views of 4-byte elements wrongly.
PAIRS = Policy("pairs of lanes at random", "a pair of lanes drawn at random runs ahead", _pairs_of_lanes, random=True)
_IN_TURN = POLICIES["blocks one at a time"]
TWO = (LOCKSTEP, POLICIES["warps at random"])
THREE = (LOCKSTEP, POLICIES["odd lanes first"], _IN_TURN)
FIVE = (LOCKSTEP, POLICIES["odd lanes first"], PAIRS, POLICIES["warps at random"], _IN_TURN)

FEW = (POLICIES["odd lanes first"], POLICIES["warps at random"], _IN_TURN)


@pytest.fixture(autouse=True)
def few_schedules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check and verify in lockstep and under `FEW` in each folder whose conftest.py imports this fixture.

    Reports are kept apart from those under all schedules, which tests marked `every_schedule` get.
    """
    if request.node.get_closest_marker("every_schedule") is not None:
        return
    monkeypatch.setattr("shflbench.checker.runs.kernel_runs.ADVERSARIAL", FEW)
    monkeypatch.setattr("shflbench.checker.report_cache.REPORT", "report-under-few")
    verified = {policy.name: policy for policy in (LOCKSTEP, *FEW)}
    monkeypatch.setattr("shflbench.cuda.backends.emulator.POLICIES", verified)


def run_fewer(monkeypatch: pytest.MonkeyPatch, policies: Sequence[Policy]) -> None:
    """Let `check` run a kernel once, under a few schedules, and look for hazards under `THREE` of them.

    It runs for the unrolled body twice, and a remainder.
    """
    monkeypatch.setattr(f"{_CHECK}.POLICIES", {policy.name: policy for policy in policies})
    monkeypatch.setattr(f"{_CHECK}.explore", partial(explore, observed=[policy.name for policy in THREE]))
    monkeypatch.setattr(Workload, "verify_iterations", property(_fewer_iterations))


def _fewer_iterations(workload: Workload) -> tuple[int, ...]:
    declared = workload.pattern.declaration
    return (1,) if declared.one_pass else (2 * declared.unroll + 3,)

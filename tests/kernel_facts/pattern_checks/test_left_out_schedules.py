"""Schedules that `check` leaves out, because lockstep shows all, end as lockstep does."""

from collections.abc import Sequence

import numpy as np
import pytest

from shflbench.checker.runs.all_schedules import communicates_by_barriers, results_hold_for_all
from shflbench.emulator.explore import ScheduleResult, explore
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from tests import kernels

pytestmark = [pytest.mark.expensive, pytest.mark.archs]

LEFT_OUT = ("half-warp first", "lanes at random", "warps in reverse", "blocks in reverse")


def under(name: str, policies: Sequence[str], observed: Sequence[str]) -> tuple[tuple[ScheduleResult, ...], bool]:
    """Return the results of a kernel, and whether the first one is said to hold for all schedules."""
    kernel = kernels.compiled(name, disassembled=False)
    _, workload = kernels.opened(name, kernel)
    launch, _ = kernels.launch(name, kernel, workload.verify_iterations[-1])
    results = explore(launch, [POLICIES[policy] for policy in policies], observed=observed).results
    by_barriers = communicates_by_barriers(launch.program)
    return results, by_barriers and results_hold_for_all(results[:1], launch.program)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", [name for name in kernels.with_one_dtype() if kernels.variant_of(name).safe])
def test_schedules_that_are_left_out_end_as_lockstep_does(name: str) -> None:
    (first, *others), shown = under(name, (LOCKSTEP.name, *LEFT_OUT), (LOCKSTEP.name, LEFT_OUT[0]))
    assert [result.error for result in others] == [None] * len(LEFT_OUT)
    if not shown:  # the order of threads may decide on the bits of a sum, and flags give doubtful findings
        return
    assert [hazard for result in others for hazard in result.hazards] == []
    for result in others:
        assert all(
            np.array_equal(a.view("u1"), b.view("u1")) for a, b in zip(first.outputs, result.outputs, strict=True)
        )


def test_of_most_kernels_lockstep_shows_all_schedules() -> None:
    names = [name for name in kernels.with_one_dtype() if name.startswith("reduce/")]
    assert sum(under(name, (LOCKSTEP.name,), (LOCKSTEP.name,))[1] for name in names) > len(names) / 2

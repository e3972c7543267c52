"""Barriers that threads skip: in a condition, or after an early return."""

import pytest

from shflbench.emulator.dataflow.bypasses import bypassed_condition
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.explore import explore
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.races.hazards import HazardKind
from tests.emulator.threads import TO_64_BITS, launch, operands

RETURN = "setp.gt.u32 %p1, %r3, 40; @%p1 bra $end;"
HALF = "setp.gt.u32 %p2, %r3, 31;"
STORE = f"mov.u32 %x32, 7; {TO_64_BITS} st.global.v2.u64 [%d5], {{%x, %y}};"
LOOP = "mov.u32 %r7, 0; $again: bar.sync 0; add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 3; @%p3 bra $again;"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (f"{HALF} @%p2 bra $over; bar.sync 0; $over: {STORE}", "@%p2 bra $over"),
        (f"{HALF} @!%p2 bra $in; bra.uni $over; $in: bar.sync 0; $over: {STORE}", "@!%p2 bra $in"),
        (f"{RETURN} bar.sync 0; {STORE} $end: ret;", ""),
        (f"{RETURN} {LOOP} {STORE} $end: ret;", ""),
        (f"{RETURN} {HALF} @%p2 bra $over; bar.sync 0; $over: {STORE} $end: ret;", "@%p2 bra $over"),
    ],
    ids=["condition", "jump into it", "early return", "early return before a loop", "both"],
)
def test_the_condition_is_that_of_threads_that_go_on_without_the_barrier(code: str, line: str) -> None:
    subject = launch(f"{code} ret;", operands())
    skipped = [item for item in explore(subject, (LOCKSTEP,)).hazards if item.kind is HazardKind.BARRIER_SKIPPED]
    slicer = Slicer(subject.program)
    (hazard,) = skipped
    branches = [bypassed_condition(op, slicer, dict(hazard.sides)) for op in slicer.ops_of(hazard.instruction)]
    assert [branch.instruction.text if branch else "" for branch in branches] == [line]

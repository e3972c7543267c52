"""Values that are read from absent lanes: whether they change what a kernel writes."""

import pytest

from shflbench.checker.finding_kinds import KINDS
from shflbench.checker.verdict import Level
from shflbench.emulator.explore import explore
from shflbench.emulator.machine.launch import execute
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.machine.state import ABSENT_FILLS
from shflbench.emulator.races.hazards import HazardKind
from tests.emulator.threads import THREADS, TO_64_BITS, launch, operands

VARIABLE = ".global .align 4 .b32 kept;"
# The lower half of each warp reads from the upper half, which its mask does not name.
SHUFFLE = """
    and.b32 %r7, %r3, 16; setp.ne.u32 %p1, %r7, 0; @%p1 bra $done; mov.u32 %r8, 1;
    shfl.sync.down.b32 %r9|%p2, %r8, 16, 31, 0xffff;"""


@pytest.mark.parametrize(
    ("use", "has_effect"),
    [
        ("mov.u32 %x32, %r9;", True),
        ("and.b32 %r9, %r9, 1; mov.u32 %x32, %r9;", True),  # of one bit only
        ("setp.ne.u32 %p3, %r9, 0xdeadbeef; @%p3 bra $done; mov.u32 %x32, 7;", True),
        ("st.global.b32 [kept], %r9;", True),
        ("max.s32 %x32, %r9, 1073741824;", True),
        ("min.s32 %x32, %r9, -65536;", True),
        ("st.shared.b32 [%r5], %r9; ld.shared.b32 %r10, [%r5]; sub.u32 %x32, %r10, %r9;", False),
        ("", False),
    ],
)
def test_a_value_from_an_absent_lane_matters_if_another_one_makes_a_difference(use: str, *, has_effect: bool) -> None:
    code = f"{SHUFFLE} {use} $done: {TO_64_BITS}"
    kinds = {hazard.kind for hazard in explore(launch(code, operands(), VARIABLE), (LOCKSTEP,)).hazards}
    expected = HazardKind.INACTIVE_SOURCE if has_effect else HazardKind.ABSENT_VALUE
    assert kinds & {HazardKind.INACTIVE_SOURCE, HazardKind.ABSENT_VALUE} == {expected}
    assert (KINDS[expected].level is Level.ERROR) is has_effect


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("st.shared.b32 [%r9], 1;", HazardKind.INACTIVE_SOURCE),
        ("trap;", HazardKind.ABSENT_VALUE),
        ("mov.u32 %r10, 4096; st.shared.b32 [%r10], 1;", HazardKind.ABSENT_VALUE),
    ],
)
def test_a_value_from_an_absent_lane_is_the_reason_of_a_fault_that_differs_with_another_one(
    fault: str, kind: HazardKind
) -> None:
    report = explore(launch(f"{SHUFFLE} {fault} $done: {TO_64_BITS}", operands(), VARIABLE), (LOCKSTEP,))
    assert report.errors
    kinds = {hazard.kind for hazard in report.hazards}
    assert kinds & {HazardKind.INACTIVE_SOURCE, HazardKind.ABSENT_VALUE} == {kind}


@pytest.mark.parametrize("fill", ABSENT_FILLS)
def test_the_value_from_an_absent_lane_is_a_property_of_the_launch(fill: int) -> None:
    code = f"{SHUFFLE} mov.u32 %x32, %r9; $done: {TO_64_BITS}"
    (out,) = execute(launch(code, operands()), absent_fill=fill)
    assert set(out[0::2].tolist()) == {0, fill}
    assert out.size == 2 * THREADS


def test_the_two_values_from_absent_lanes_differ_in_every_bit() -> None:
    first, second, *_ = ABSENT_FILLS
    assert first ^ second == 0xFFFFFFFF

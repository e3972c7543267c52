"""Asynchronous copies, and what tells threads that they are complete."""

import pytest

from shflbench.emulator.explore import explore
from tests.emulator.threads import launch, operands

START = """
    setp.ne.u32 %p1, %r3, 0; @%p1 bra $ready; mbarrier.init.shared.b64 [%r4+24], 64; $ready: bar.sync 0;
    cp.async.ca.shared.global [%r5], [%d4], 8; """
NOTED = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4+24];"
COUNTED = "cp.async.mbarrier.arrive.shared::cta.b64 [%r4+24]; mbarrier.arrive.shared.b64 _, [%r4+24];"
WAIT = "$wait: mbarrier.test_wait.parity.shared.b64 %p2, [%r4+24], 0; @!%p2 bra $wait;"
OTHER = "xor.b32 %r8, %r3, 63; mad.lo.u32 %r8, %r8, 32, %r4; ld.shared.b64 %x, [%r8];"
SAME = "ld.shared.b64 %x, [%r5];"
CHANGE = "st.global.b64 [%d4], %a;"


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        (f"{NOTED} {WAIT} {OTHER}", set()),
        (f"{COUNTED} {WAIT} {OTHER}", set()),
        (f"{NOTED} {WAIT} {CHANGE}", set()),
        (f"{NOTED} setp.gt.u32 %p3, %r3, 31; @%p3 bra $meet; {WAIT} $meet: bar.sync 0; {OTHER}", set()),
        (f"{NOTED} cp.async.wait_all; {SAME}", set()),
        (f"{NOTED} {SAME}", {"RAW"}),
        (f"{NOTED} bar.sync 0; {OTHER}", {"RAW"}),
        (f"{NOTED} {CHANGE}", {"WAR"}),
        (f"{CHANGE} cp.async.wait_all; {SAME}", {"WAR"}),
        (f"cp.async.wait_all; {CHANGE} {SAME}", set()),
        (f"cp.async.commit_group; cp.async.wait_group 1; {CHANGE}", {"WAR"}),
    ],
)
def test_a_copy_is_complete_once_a_thread_has_waited_for_it(code: str, kinds: set[str]) -> None:
    report = explore(launch(START + code, operands()), observed=("lockstep", "warps in reverse"))
    assert report.errors == ()
    assert {item.kind.name for item in report.hazards} == kinds

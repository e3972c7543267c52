"""Barriers in shared memory at which one thread arrives for several."""

import pytest

from shflbench.emulator.explore import explore
from tests.emulator.threads import launch, operands, run

OTHER = "xor.b32 %r8, %r3, 63; mad.lo.u32 %r8, %r8, 32, %r4; ld.shared.b64 %x, [%r8];"
MEETING = """
    setp.ne.u32 %p1, %r3, 0; @%p1 bra $ready; mbarrier.init.shared.b64 [%r4+8], 128; $ready: bar.sync 0;
    st.shared.b64 [%r5], %a; mov.u32 %r7, 2; ARRIVE
    $wait: mbarrier.test_wait.parity.shared.b64 %p2, [%r4+8], 0; @!%p2 bra $wait;"""


@pytest.mark.parametrize(
    "arrive",
    [
        "mbarrier.arrive.shared.b64 %d6, [%r4+8], 2;",
        "mbarrier.arrive.shared::cta.b64 %d6, [%r4+8], %r7;",
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r4+8], %r7;",
        "mbarrier.arrive.shared.b64 _, [%r4+8]; mbarrier.arrive.shared.b64 _, [%r4+8];",
    ],
)
def test_a_thread_may_arrive_for_two(arrive: str) -> None:
    code, rows = MEETING.replace("ARRIVE", arrive) + OTHER, operands(3)
    assert [x for x, _ in run(code, rows, "lanes at random")] == [a for a, _ in reversed(rows)]
    report = explore(launch(code, rows))
    assert (report.errors, report.hazards) == ((), ())


def test_a_barrier_waits_for_all_arrivals() -> None:
    code = MEETING.replace("ARRIVE", "mbarrier.arrive.shared.b64 _, [%r4+8];")
    (error, *_) = explore(launch(code, operands()), step_limit=2_000).errors
    assert "`room` waits for 64 of 128 arrivals in phase 0" in error.message


def test_threads_that_drop_out_of_a_barrier_are_not_awaited_in_later_phases() -> None:
    wait = "$PHASE: mbarrier.test_wait.parity.shared.b64 %p2, [%r4+8], PHASE; @!%p2 bra $PHASE;"
    code = f"""
        setp.ne.u32 %p1, %r3, 0; @%p1 bra $ready; mbarrier.init.shared.b64 [%r4+8], 64; $ready: bar.sync 0;
        setp.ge.u32 %p1, %r3, 32; @%p1 bra $drop;
        mbarrier.arrive.shared.b64 _, [%r4+8]; {wait.replace("PHASE", "0")}
        mbarrier.arrive.shared.b64 _, [%r4+8]; {wait.replace("PHASE", "1")} mov.u64 %x, %a; bra $done;
        $drop: mbarrier.arrive_drop.shared.b64 _, [%r4+8]; $done:"""
    rows = operands(4)
    assert [x for x, _ in run(code, rows)] == [a for a, _ in rows[:32]] + [0] * 32

"""Hand-over of values from some threads to others without a barrier of the whole block."""

import pytest

from shflbench.emulator.machine.policies import POLICIES
from tests.emulator.threads import THREADS, operands, run

# Threads of the second warp read what their partners in the first one wrote.
PARTNER = "xor.b32 %r6, %r3, 63; mad.lo.u32 %r6, %r6, 32, %r4; setp.lt.u32 %p1, %r3, 32;"
READ = "ld.shared.b64 %x, [%r6];"


def expected(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(rows[thread ^ 63][0] if thread >= THREADS // 2 else 0, 0) for thread in range(THREADS)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["bar.arrive", "bar.sync"])
def test_one_warp_arrives_at_a_named_barrier_and_another_one_waits(form: str, policy: str) -> None:
    code = f"""
        {PARTNER} @!%p1 bra $wait; st.shared.b64 [%r5], %a; bar.arrive 1, 64; bra $end;
        $wait: bar.sync 1, 64; {READ} $end:"""
    assert form in code
    rows = operands(14)
    assert run(code, rows, policy) == expected(rows)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "form", ["mbarrier.init.shared.b64", "mbarrier.arrive.shared.b64", "mbarrier.try_wait.parity.shared.b64"]
)
def test_a_warp_waits_until_all_lanes_of_another_one_have_arrived(form: str, policy: str) -> None:
    code = f"""
        {PARTNER} setp.ne.u32 %p2, %r3, 0; @%p2 bra $ready; mbarrier.init.shared.b64 [%r4+8], 32; $ready: bar.sync 0;
        @!%p1 bra $wait; st.shared.b64 [%r5], %a; mbarrier.arrive.shared.b64 _, [%r4+8]; bra $end;
        $wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r4+8], 0; @!%p2 bra $wait; {READ} $end:"""
    assert form in code
    rows = operands(15)
    assert run(code, rows, policy) == expected(rows)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("form", ["ld.acquire.cta.shared.u32", "st.release.cta.shared.u32"])
def test_a_flag_that_is_released_and_acquired_publishes_what_was_written_before(form: str, policy: str) -> None:
    code = f"""
        {PARTNER} mov.u32 %r7, 1; mov.u32 %r8, 0; st.shared.u32 [%r5+8], %r8; bar.sync 0;
        @!%p1 bra $wait; st.shared.b64 [%r5], %a; st.release.cta.shared.u32 [%r5+8], %r7; bra $end;
        $wait: ld.acquire.cta.shared.u32 %r8, [%r6+8]; setp.eq.u32 %p2, %r8, 0; @%p2 bra $wait; {READ} $end:"""
    assert form in code
    rows = operands(16)
    assert run(code, rows, policy) == expected(rows)

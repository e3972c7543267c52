"""Orders of threads that wait by memory: which of them run between two strong accesses."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.races.hazards import HazardKind
from tests.emulator.breaking import breaks
from tests.emulator.threads import launch, operands, program

PREFIX = """
    setp.eq.u32 %p1, %r3, FIRST; setp.eq.u32 %p2, %r3, SECOND; st.shared.b32 [%r5+4], 0;
    st.shared.b32 [%r5], 0; bar.sync 0;"""
# One thread writes two words and raises a flag after each; another one waits for the first of them and reads both.
WRITER = """
    @!%p1 bra $reader; st.shared.b32 [%r4+4], 7; membar.cta; st.volatile.shared.b32 [%r4], 1;
    st.shared.b32 [%r4+8], 8; membar.cta; st.volatile.shared.b32 [%r4], 2; $reader:"""
READER = """
    @!%p2 bra $end; $wait: ld.volatile.shared.b32 %r8, [%r4]; setp.lt.u32 %p3, %r8, LEAST; @%p3 bra $wait;
    membar.cta; ld.shared.b32 %x32, [%r4+4]; ld.shared.b32 %y32, [%r4+8]; $end:"""
PAIRS = [(0, 32), (32, 0), (3, 7), (7, 3), (4, 40)]


def test_strong_accesses_end_basic_blocks_where_threads_can_wait_by_memory() -> None:
    store = "st.volatile.shared.b32 [%r5], 1; add.u32 %r8, %r8, 1;"
    polled = program(f"{store} ld.relaxed.gpu.shared.b32 %r7, [%r4];")
    plain = program(f"{store} ld.shared.b32 %r7, [%r4];")
    assert (polled.interrupted, len(polled.blocks)) == (True, len(plain.blocks) + 1)
    assert not plain.interrupted


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_thread_that_waits_acquires_no_more_than_the_first_flag_guarantees(first: int, second: int) -> None:
    code = PREFIX.replace("FIRST", str(first)).replace("SECOND", str(second)) + WRITER + READER
    early = explore(launch(code.replace("LEAST", "1"), operands()))
    late = explore(launch(code.replace("LEAST", "2"), operands()))
    assert {item.kind for item in early.hazards} & {HazardKind.RAW, HazardKind.WAR}
    assert (late.errors, [item for item in late.hazards if breaks(item)]) == ((), [])

import pytest

from shflbench.emulator.dataflow.endless_loops import follows_from_itself, has_no_exit, never_ends, waits_for_clock
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse
from tests.emulator.dataflow import sliced

LOOPS = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [in];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
COUNT:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra COUNT;
SPIN:
    ld.volatile.global.u32 %r3, [%rd1];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra SPIN;
LOCK:
    atom.global.cas.b32 %r4, [%rd1], 0, 1;
    setp.ne.u32 %p3, %r4, 0;
    @%p3 bra LOCK;
WRITE:
    st.global.u32 [%rd1], %r1;
    ld.global.u32 %r5, [%rd1+4];
    setp.ne.u32 %p3, %r5, 7;
    @%p3 bra WRITE;
CLOCK:
    mov.u64 %rd2, %clock64;
    setp.lt.u64 %p3, %rd2, 900;
    @%p3 bra CLOCK;
EPOCH:
    ld.volatile.global.u32 %r7, [%rd1+8];
    setp.lt.u32 %p2, %r7, %r1;
    @%p2 bra EPOCH;
TIMED:
    mov.u64 %rd2, %clock64;
    mul.lo.u32 %r8, %r8, 3;
    setp.lt.u32 %p2, %r8, %r1;
    @%p2 bra TIMED;
EVER:
    sub.u32 %r6, %r6, 1;
    bra EVER;
}
"""


@pytest.mark.parametrize(
    ("text", "endless"),
    [
        ("add.u32", False),
        ("ld.volatile.global.u32 %r3", True),
        ("atom.global.cas", True),
        ("st.global", False),
        ("setp.lt.u64", False),
        ("sub.u32", True),
        ("mov.u32", False),  # in no loop
    ],
)
def test_only_a_loop_that_waits_or_has_no_exit_is_endless(text: str, *, endless: bool) -> None:
    slices = Slicer(link(parse(LOOPS), "k"))
    assert never_ends(sliced.op_of(slices, text), slices) is endless


@pytest.mark.parametrize(
    ("text", "waits"), [("setp.lt.u64", True), ("ld.volatile.global.u32 %r3", False), ("mul.lo.u32", False)]
)
def test_a_loop_waits_for_a_clock_that_decides_when_it_ends(text: str, *, waits: bool) -> None:
    slices = Slicer(link(parse(LOOPS), "k"))
    assert waits_for_clock(sliced.op_of(slices, text), slices) is waits


@pytest.mark.parametrize(("text", "without"), [("sub.u32", True), ("add.u32", False), ("mov.u32", False)])
def test_a_loop_that_no_branch_leaves_has_no_exit(text: str, *, without: bool) -> None:
    slices = Slicer(link(parse(LOOPS), "k"))
    assert has_no_exit(sliced.op_of(slices, text), slices) is without


@pytest.mark.parametrize(
    ("text", "follows"),
    [
        ("ld.volatile.global.u32 %r3", True),
        ("ld.volatile.global.u32 %r7", False),  # until it holds `n`
        ("ld.global", True),
        ("add.u32", False),
    ],
)
def test_a_loop_polls_by_what_it_reads_alone_unless_a_parameter_decides(text: str, *, follows: bool) -> None:
    slices = Slicer(link(parse(LOOPS), "k"))
    assert follows_from_itself(sliced.op_of(slices, text), slices) is follows

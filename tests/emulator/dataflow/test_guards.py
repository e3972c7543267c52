import pytest

from shflbench.emulator.dataflow.guards import guards
from shflbench.emulator.dataflow.index_values import IndexValues, to_signed
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse
from tests.emulator.dataflow import sliced

# Parameters: a at byte 0, n at byte 8. The loop counts in %r3 and moves the pointer %rd4 along.
LOOP = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
    .reg .pred %p<5>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p1, %r2, %r1;
    setp.eq.s32 %p2, %r1, 7;
    or.pred %p3, %p1, %p2;
    @%p3 bra END;
    mov.u32 %r3, %r2;
    mul.wide.s32 %rd2, %r2, 4;
    add.s64 %rd4, %rd1, %rd2;
NEXT:
    st.global.u32 [%rd4+-4], 1;
    add.s64 %rd4, %rd4, 128;
    add.s32 %r3, %r3, 32;
    setp.lt.s32 %p4, %r3, %r1;
    @%p4 bra NEXT;
END:
    ret;
}
"""


def test_a_guard_is_the_comparison_without_which_an_access_does_not_run() -> None:
    slicer = sliced.slicer()
    store = sliced.op_of(slicer, "st.global.u32 [%rd6]")
    last = sliced.op_of(slicer, "st.global.u8")
    (guard,) = guards(slicer)
    assert (dict(guard.index), dict(guard.limit)) == ({("%tid.x",): 1}, {("@16",): 1})
    assert id(store) in guard.accesses
    assert id(last) not in guard.accesses | guard.others


def test_a_loop_is_followed_in_its_counter_and_in_its_pointer() -> None:
    slicer = Slicer(link(parse(LOOP), "k"))
    values = IndexValues(slicer)
    (counted,) = [guard for guard in guards(slicer) if not guard.accesses]
    advance = {term: factor for term, factor in counted.index.items() if factor == 32}
    assert dict(counted.index) == {("%tid.x",): 1, **advance}
    assert dict(counted.limit) == {("@8",): 1}
    place = sliced.op_of(slicer, "st.global").place
    assert place is not None
    address = {("@0",): 1, ("%tid.x",): 4, (): -4, **{term: 4 * factor for term, factor in advance.items()}}
    assert dict(values.address(place)) == address
    assert len(advance) == 1


def test_the_first_guard_of_a_loop_protects_its_accesses() -> None:
    slicer = Slicer(link(parse(LOOP), "k"))
    (first,) = [guard for guard in guards(slicer) if guard.accesses]
    assert (dict(first.index), dict(first.limit)) == ({("%tid.x",): 1}, {("@8",): 1})


def test_immediates_are_numbers_with_a_sign() -> None:
    assert [to_signed(bits) for bits in (5, 0xFFFFFFFF, 0x80000000, (1 << 64) - 3)] == [5, -1, -(1 << 31), -3]


@pytest.mark.parametrize(("constant", "is_sum"), [(7, True), (8, False)])
def test_bits_that_an_index_cannot_have_are_added(constant: int, *, is_sum: bool) -> None:
    text = LOOP.replace("mov.u32 %r2, %tid.x;", "mov.u32 %r5, %tid.x; shl.b32 %r6, %r5, 3; or.b32 %r2, %r6, 7;")
    slicer = Slicer(link(parse(text.replace("%r6, 7", f"%r6, {constant}")), "k"))
    indexes = [dict(guard.index) for guard in guards(slicer)]
    assert ({("%tid.x",): 8, (): constant} in indexes) == is_sum

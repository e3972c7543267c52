from shflbench.emulator.dataflow.equalities import equalities
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse
from tests.emulator.dataflow import sliced

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
    .reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
    setp.ge.s32 %p1, %r2, %r1;
    setp.ne.s32 %p2, %r1, 7;
    or.pred %p3, %p1, %p2;
    @%p3 bra OTHER;
    st.global.u32 [%rd1], 1;
    bra END;
OTHER:
    st.global.u32 [%rd1+4], 1;
    setp.eq.s32 %p4, %r2, 3;
    @%p4 st.global.u32 [%rd1+8], 1;
    @!%p4 st.global.u32 [%rd1+12], 1;
END:
    st.global.u32 [%rd1+16], 1;
    ret;
}
"""


def _of(place: str) -> list[str]:
    slicer = Slicer(link(parse(PTX), "k"))
    return [op.instruction.text for op in equalities(sliced.op_of(slicer, f"st.global.u32 [{place}]"), slicer)]


def test_an_equality_holds_behind_a_branch_that_is_not_taken() -> None:
    assert _of("%rd1") == ["setp.ne.s32 %p2, %r1, 7"]
    assert _of("%rd1+4") == []


def test_an_equality_holds_where_the_guard_of_the_op_says_so() -> None:
    assert _of("%rd1+8") == ["setp.eq.s32 %p4, %r2, 3"]
    assert _of("%rd1+12") == []


def test_an_op_behind_both_branches_has_no_equality() -> None:
    assert _of("%rd1+16") == []

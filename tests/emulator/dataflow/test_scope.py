"""Find the indexes that a kernel uses: linear numbers of cooperative groups need no launch in three dimensions."""

import pytest

from shflbench.emulator.dataflow.scope import used_indexes
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse

# As nvcc compiles `cg::this_thread_block().thread_rank()` and `cg::this_grid().thread_rank()`.
HEAD = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<32>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %ntid.y;
    mad.lo.s32 %r6, %r5, %r3, %r2;
    mul.lo.s32 %r7, %r6, %r4;
    neg.s32 %r8, %r1;
    neg.s32 %r9, %r3;
    mov.u32 %r12, %ctaid.x;
    mov.u32 %r13, %ctaid.y;
    mov.u32 %r14, %ctaid.z;
    mov.u32 %r15, %nctaid.x;
    mov.u32 %r16, %nctaid.y;
"""
STORE = "    @%p1 st.global.u32 [%rd1], %r4;\n    ret;\n}\n"
RANK_IS_ZERO = "    setp.eq.s32 %p1, %r7, %r8;\n"
SUM_IS_ZERO = "    add.s32 %r10, %r1, %r2;\n    setp.eq.s32 %p1, %r10, %r9;\n"
OTHER_SUM = "    add.s32 %r10, %r1, %r2;\n    setp.eq.s32 %p1, %r10, 3;\n"
TWO_AXES = "    add.s32 %r10, %r1, %r2;\n    setp.eq.s32 %p1, %r10, 0;\n"
OTHER_RANK = "    mad.lo.s32 %r10, %r6, 16, %r1;\n    setp.eq.s32 %p1, %r10, 0;\n"
IN_A_LOOP = """\
    add.s32 %r10, %r7, %r1;
    mul.wide.u32 %rd2, %r16, %r14;
    cvt.u64.u32 %rd3, %r13;
    add.s64 %rd4, %rd2, %rd3;
    cvt.u64.u32 %rd5, %r15;
    mul.lo.s64 %rd6, %rd4, %rd5;
    cvt.u64.u32 %rd7, %r12;
    add.s64 %rd8, %rd6, %rd7;
    mul.lo.s64 %rd9, %rd8, 64;
    cvt.u64.u32 %rd10, %r10;
    add.s64 %rd11, %rd9, %rd10;
L:
    add.s64 %rd11, %rd11, 4096;
    cvt.u32.u64 %r11, %rd11;
    setp.lt.s32 %p2, %r11, 8192;
    @%p2 bra L;
    setp.eq.s32 %p1, %r10, 5;
"""


@pytest.mark.parametrize(
    ("body", "others"),
    [
        (RANK_IS_ZERO, set()),
        (SUM_IS_ZERO, set()),
        (IN_A_LOOP, set()),
        (OTHER_SUM, {"threadIdx.y"}),
        (TWO_AXES, {"threadIdx.y"}),
        (OTHER_RANK, {"threadIdx.y", "threadIdx.z"}),
        (IN_A_LOOP.replace("mul.lo.s64 %rd6, %rd4, %rd5", "mul.lo.s64 %rd6, %rd4, 3"), {"blockIdx.y", "blockIdx.z"}),
    ],
    ids=["rank", "sum", "loop", "other-sum", "two-axes", "other-rank", "other-rank-in-a-loop"],
)
def test_numbers_that_are_linear_or_zero_in_the_first_thread_need_no_other_dimension(
    body: str, others: set[str]
) -> None:
    indexes = used_indexes(Slicer(link(parse(HEAD + body + STORE), "k")))
    assert {index for index in indexes if not index.endswith(".x")} == others

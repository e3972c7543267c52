from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.compared_constants import ContentThresholds, thresholds
from shflbench.checker.options import FileOptions
from shflbench.cuda_sources.kernel_file import KernelParameter, SourceKernel
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 to, .param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .f32 %f<2>;
    .reg .b64 %rd<10>;
    .shared .align 4 .b8 s[1024];
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [to];
    ld.param.u64 %rd3, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    ld.global.f32 %f1, [%rd5];
    setp.gt.f32 %p1, %f1, 0f43480000;
    ld.global.u32 %r2, [%rd6];
    setp.ne.s32 %p2, %r2, -1;
    mul.wide.u32 %rd7, %r2, 4;
    add.s64 %rd8, %rd3, %rd7;
    @%p1 st.global.u32 [%rd8], %r2;
    setp.neu.f32 %p3, %f1, 0f3F000000;
    setp.lt.u32 %p2, %r1, 7;
    @%p2 st.global.u32 [%rd8], 1;
    ret;
}
"""


def test_constants_belong_to_the_buffers_whose_contents_are_compared_unless_these_are_addresses() -> None:
    parameters = [
        KernelParameter(name, "int *", "i4", pointer=True, size=8, offset=8 * place)
        for place, name in enumerate(("in", "to", "out"))
    ]
    slicer = Slicer(link(parse(PTX), "k"))
    assert thresholds(SourceKernel("k", "k", tuple(parameters), None), slicer) == {
        "in": ContentThresholds(limits=(200.0,), marks=(0.5,))
    }


COUNTER = """\
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 next;
.visible .entry k(.param .u64 in)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [in];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.wide.s32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.s32 %r5, [%rd3];
    setp.RELATION.s32 %p1, %r5, 1000;
    @%p1 bra END;
    ld.global.u32 %r6, [next];
    add.s32 %r7, %r6, 1;
    st.global.u32 [next], %r7;
END:
    ret;
}
"""


@pytest.mark.parametrize(("relation", "verdict"), [("lt", "broken"), ("ne", "clean")])
def test_a_branch_that_large_contents_take_is_tried_by_several_threads_and_an_equal_one_by_one(
    tmp_path: Path, relation: str, verdict: str
) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(COUNTER.replace("RELATION", relation), encoding="utf-8")
    (report,) = check_file(file, FileOptions()).kernels
    assert (report.verdict, report.unreached) == (verdict, ())

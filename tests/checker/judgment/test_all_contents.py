"""Stores at indices that the code limits: more threads than values must collide, and as many need not."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.options import FileOptions, LaunchOptions

# Each thread stores its number in the bin of an element.
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %r<16>; .reg .b64 %d<8>; .shared .align 4 .b8 bins[128];
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;
    mov.u32 %r2, bins; shl.b32 %r3, %r1, 2; add.u32 %r3, %r2, %r3; st.shared.u32 [%r3], 0; bar.sync 0;
    add.s64 %d1, %d1, %d3; ld.global.u32 %r4, [%d1]; and.b32 %r4, %r4, LAST; shl.b32 %r4, %r4, 2;
    add.u32 %r4, %r2, %r4; st.shared.u32 [%r4], %r1; bar.sync 0;
    ld.shared.u32 %r5, [%r3]; add.s64 %d2, %d2, %d3; st.global.u32 [%d2], %r5;
    ret;
}
"""


@pytest.mark.parametrize(("bins", "verdict"), [(16, "broken"), (32, "clean")])
def test_as_many_threads_as_bins_may_have_one_each(tmp_path: Path, bins: int, verdict: str) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(PTX.replace("LAST", str(bins - 1)), encoding="utf-8")
    given = LaunchOptions(launches=(LaunchShape((1, 1, 1), (32, 1, 1)),))
    (report,) = check_file(file, FileOptions(given=given)).kernels
    assert report.verdict == verdict, report.reason

"""Races at addresses that depend on numbers which nobody gave, and that are equal for all of them."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.options import FileOptions, LaunchOptions

# The first thread of a block writes the place of its block in a row, and reads another place.
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 carry, .param .u32 pitch, .param .u64 out, .param .u32 other)
{
    .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [carry]; ld.param.u32 %r1, [pitch]; ld.param.u64 %d2, [out]; ld.param.u32 %r9, [other];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra $end;
    mad.lo.s32 %r4, %r1, 3, %r2; mul.wide.s32 %d3, %r4, 4; add.s64 %d4, %d1, %d3;
    setp.eq.u32 %p2, %r2, 0; @%p2 bra $write;
    READ
    ld.global.u32 %r6, [%d6+-4]; mul.wide.u32 %d7, %r2, 4; add.s64 %d7, %d7, %d2; st.global.u32 [%d7], %r6;
    $write: st.global.u32 [%d4], %r2;
    $end: ret;
}
"""
READS = {
    "before its own": "mov.b64 %d6, %d4;",
    "in another row": "mad.lo.s32 %r5, %r9, 3, %r2; mul.wide.s32 %d5, %r5, 4; add.s64 %d6, %d1, %d5;",
}


@pytest.mark.parametrize(
    ("read", "verdict"), [("before its own", "broken"), ("in another row", "needs arguments")], ids=READS
)
def test_a_race_at_one_place_for_all_numbers_needs_none_of_them(tmp_path: Path, read: str, verdict: str) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(PTX.replace("READ", READS[read]), encoding="utf-8")
    given = LaunchOptions(launches=(LaunchShape((2, 1, 1), (32, 1, 1)),))
    (report,) = check_file(file, FileOptions(given=given)).kernels
    assert report.verdict == verdict, report.reason

"""Accesses behind conditions that no usual contents fulfill: they run with one value in all elements."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.checker.runs import reached_conditions

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>; .shared .align 4 .b8 s[4];
    .file 1 "k.cu"
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;
    mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    ld.global.s32 %r3, [%d4]; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.b32 [%r2], %r3;
    CONDITION
    @%p3 bra $end;
    ACCESS
    $end: ret;
}
"""
ONE_WARP = LaunchShape((1, 1, 1), (32, 1, 1))
READ = "ld.shared.b32 %r9, [%r2]; st.global.b32 [%d5], %r9;"
ALL = "vote.sync.all.pred %p3, %p2, -1; not.pred %p3, %p3;"
CONDITIONS = {
    "all above a number": f"setp.gt.s32 %p2, %r3, 16; {ALL}",
    "all equal to a number after arithmetic": f"mad.lo.s32 %r4, %r3, 3, 5; setp.eq.s32 %p2, %r4, 95; {ALL}",
    "all with some bits": f"shr.u32 %r4, %r3, 20; and.b32 %r5, %r4, 12; setp.eq.s32 %p2, %r5, 12; {ALL}",
    "all negative": f"setp.lt.s32 %p2, %r3, 0; {ALL}",
    "a large number": "setp.ne.s32 %p3, %r3, 123456789;",
}


def check(folder: Path, condition: str, access: str = READ) -> KernelReport:
    file = folder / "k.ptx"
    file.write_text(PTX.replace("CONDITION", condition).replace("ACCESS", access), encoding="utf-8")
    (report,) = check_file(file, FileOptions(given=LaunchOptions(launches=(ONE_WARP,)))).kernels
    return report


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)
def test_a_read_behind_a_condition_on_contents_races_with_a_store_before_it(tmp_path: Path, condition: str) -> None:
    report = check(tmp_path, condition)
    assert (report.verdict, report.reason.partition(" (")[0]) == ("broken", "RAW")


def test_no_usual_contents_fulfill_the_condition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reached_conditions, "MOST_LAUNCHES", 0)
    assert check(tmp_path, CONDITIONS["all above a number"]).verdict == "clean"


def test_what_happens_only_with_equal_contents_is_no_finding(tmp_path: Path) -> None:
    search = "setp.ne.s32 %p3, %r3, 123456789;"
    assert check(tmp_path, search, "st.global.b32 [%d2], %r1;").verdict == "clean"

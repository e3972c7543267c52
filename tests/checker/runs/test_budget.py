"""The instructions that a kernel may take: what was left out is said, and the first launch always runs."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.checker.report import KernelReport
from shflbench.checker.runs import budget
from shflbench.checker.runs.budget import MOST_PATIENT, MOST_WORK, RunBudget

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.volatile.global.u32 [%rd3], %r1;  // one schedule does not show all
    ret;
}
"""


def run_check(folder: Path) -> KernelReport:
    path = folder / "k.ptx"
    path.write_text(PTX, encoding="utf-8")
    (report,) = check_file(path, FileOptions()).kernels
    return report


def test_without_instructions_only_the_first_launch_runs_and_the_report_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(budget, "MOST_WORK", 0)
    report = run_check(tmp_path)
    assert report.verdict == "clean"
    assert [(launch.shape, launch.seeds, launch.schedules) for launch in report.launches] == [
        ("1x32", (0,), ("lockstep",))
    ]
    assert "; 3 launches did not run, because the limit of instructions was reached" in report.sentence


def test_schedules_that_were_left_out_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(budget, "MOST_WORK", 400)  # twice those of the four launches in lockstep
    report = run_check(tmp_path)
    assert [launch.shape for launch in report.launches] == ["1x32", "2x128", "2x80", "3x64"]
    assert 1 < max(len(launch.schedules) for launch in report.launches) < 7
    assert "; not all schedules ran, because the limit of instructions was reached" in report.sentence


def test_with_instructions_all_launches_and_schedules_run(tmp_path: Path) -> None:
    report = run_check(tmp_path)
    assert report.sentence.startswith("no hazard in 4 launches (1x32, 2x128, 2x80, 3x64)")
    assert "limit" not in report.sentence
    assert [launch.shape for launch in report.launches if len(launch.schedules) == 7] == ["1x32", "3x64"]


def test_the_kernels_of_a_file_share_what_two_of_them_may_take() -> None:
    assert RunBudget.shared_by(2) == RunBudget(MOST_WORK, MOST_PATIENT)
    assert RunBudget.shared_by(4) == RunBudget(MOST_WORK // 2, MOST_PATIENT // 2)
    assert RunBudget.shared_by(100) == RunBudget(MOST_WORK // 5, MOST_PATIENT // 2)

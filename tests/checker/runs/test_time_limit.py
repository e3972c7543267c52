"""The time that a kernel may take: what was left out is said, and the first launch always runs."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from shflbench.backends.emulator.races.hazards import HazardKind
from shflbench.checker.file_report import FileKernelReport
from shflbench.checker.files import FileOptions, check_file
from shflbench.checker.runs import kernel_runs
from shflbench.checker.runs.evidence import LaunchEvidence
from shflbench.checker.runs.fitting import set_aside

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
    st.global.u32 [%rd3], %r1;
    ret;
}
"""


def run_check(folder: Path) -> FileKernelReport:
    path = folder / "k.ptx"
    path.write_text(PTX, encoding="utf-8")
    (report,) = check_file(path, FileOptions()).kernels
    return report


def test_without_time_only_the_first_launch_runs_and_the_report_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kernel_runs, "MOST_SECONDS", -1)
    report = run_check(tmp_path)
    assert report.verdict == "clean"
    assert [(launch.shape, launch.seeds, launch.schedules) for launch in report.launches] == [
        ("1x32", (0,), ("lockstep",))
    ]
    assert report.sentence.endswith("; not all launches: time limit of -1 s, with 3 to go")


def test_schedules_that_were_left_out_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clock = [0.0]

    def passes(launches: list[LaunchEvidence]) -> Mapping[str, tuple[HazardKind, ...]]:
        clock[0] = kernel_runs.MOST_SECONDS + 1
        return set_aside(launches)

    monkeypatch.setattr(kernel_runs, "process_time", lambda: clock[0])
    monkeypatch.setattr(kernel_runs, "set_aside", passes)  # called between the launches and the schedules
    report = run_check(tmp_path)
    assert [launch.schedules for launch in report.launches] == [("lockstep",)] * 4
    assert report.sentence.endswith("; not all schedules: time limit of 6 s")


def test_with_time_all_launches_and_schedules_run(tmp_path: Path) -> None:
    report = run_check(tmp_path)
    assert report.sentence == "no hazard in 4 launches (1x32, 2x128, 2x80, 3x64)"
    assert [launch.shape for launch in report.launches if len(launch.schedules) == 7] == ["1x32", "3x64"]

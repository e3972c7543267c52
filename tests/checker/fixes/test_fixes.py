"""Public fixes of races: before each one `check` gives the verdict at its lines, and after it none."""

from pathlib import Path

import pytest

from tests.checker.fixes.fix_files import FIXED, FOLDERS, FixFile, at_the_lines, fix_files

# Half a second or more, most of them for barriers in memory between the blocks of a cluster.
SLOW = {
    "held_out/cuda_oxide_1066_mailbox",
    "held_out/cutlass_3324_scope_of_the_block",
    "held_out/llama_cpp_24360_scan_over_tokens",
    "held_out/tilelang_2166_wait_behind_the_read",
    "held_out/triton_3472_follower_runs_ahead",
    "open/deepep_642_load_over_reads",
    "open/fuser_1769_arrival_before_start",
    "open/triton_10035_leader_runs_ahead",
    "open/triton_10669_lost_phase",
    "open/triton_1024_expect_in_one_block",
    "open/triton_11498_fence_of_another_lane",
}
FIXES = [
    pytest.param(file, id=file.name, marks=[pytest.mark.archs] if file.name in SLOW else [])
    for file in fix_files(*FOLDERS)
]


@pytest.mark.parametrize("file", FIXES)
def test_a_kernel_before_its_fix_gets_its_verdict_at_the_lines_of_the_race(file: FixFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache)
    assert report.verdict == file.before[0], report.sentence
    assert at_the_lines(report, file), [(item.kind, item.place, item.other) for item in report.findings]


@pytest.mark.parametrize("file", FIXES)
def test_a_kernel_after_its_fix_is_clean(file: FixFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache, FIXED)
    assert (report.verdict, report.findings) == (file.after, ()), report.sentence

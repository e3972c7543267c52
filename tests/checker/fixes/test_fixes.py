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
    "later/cuml_458_next_grid_sync",
    "later/lorax_156_segments_of_two_sizes",
    "open/deepep_642_load_over_reads",
    "open/fuser_1769_arrival_before_start",
    "open/triton_10035_leader_runs_ahead",
    "open/triton_10669_lost_phase",
    "open/triton_1024_expect_in_one_block",
    "open/triton_11498_fence_of_another_lane",
}
WRONG = {  # what check says of them is not what their authors say
    ("later/timemachine_1218_target_energies", "after"): "broken: the compiler reads in all threads what one uses",
    ("later/picongpu_2600_vote_in_a_branch", "after"): "schedule-dependent: the mask of active lanes is read",
}
FIXES = [
    pytest.param(file, id=file.name, marks=[pytest.mark.archs] if file.name in SLOW else [])
    for file in fix_files(*FOLDERS)
]


def known_wrong(request: pytest.FixtureRequest, file: FixFile, form: str) -> None:
    """Let the test of a known wrong answer fail, and only fail."""
    if reason := WRONG.get((file.name, form)):
        request.applymarker(pytest.mark.xfail(reason=reason))


@pytest.mark.one_in(24, 3)
@pytest.mark.parametrize("file", FIXES)
def test_a_kernel_before_its_fix_gets_its_verdict_at_the_lines_of_the_race(
    file: FixFile, kernel_cache: Path, request: pytest.FixtureRequest
) -> None:
    known_wrong(request, file, "before")
    report = file.check(kernel_cache)
    assert report.verdict == file.before[0], report.sentence
    assert at_the_lines(report, file), [(item.kind, item.place, item.other) for item in report.findings]


@pytest.mark.one_in(11)
@pytest.mark.parametrize("file", FIXES)
def test_a_kernel_after_its_fix_is_clean(file: FixFile, kernel_cache: Path, request: pytest.FixtureRequest) -> None:
    known_wrong(request, file, "after")
    report = file.check(kernel_cache, FIXED)
    assert (report.verdict, report.findings) == (file.after, ()), report.sentence

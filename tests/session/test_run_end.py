"""The end of a run, which the command line, Python and fleets share."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Noise
from shflbench.kernel_facts import stored_limits
from shflbench.measure.noise import UNSTEADY
from shflbench.session import LimitContext, end_run, run
from shflbench.session.run_end import COVERED, count_run
from shflbench.store import RunFolder, read_run
from shflbench.store.limits_file import LIMITS_FILE
from shflbench.store.run_files import SAMPLES_FILE
from tests.fakes.backend import FakeBackend, Script, in_iteration, one_lane
from tests.session.conftest import Planner, started

SUITE = """\
schema: 1
name: demo
measure: {min_seconds: 0.001}
defaults: {launch: 2x64, iterations: 1024, variants: [smem, shfl], dtypes: f32}
experiments:
  - pattern: neighbor
"""
SCRIPTS = {"smem": Script(base_us=20.0), "shfl": Script(base_us=4.0)}
SLOW = {name: Script(ns_per_iteration=5000.0) for name in SCRIPTS}


def measured(plan: Planner, path: Path, scripts: dict[str, Script], *, of_kernels: bool = False) -> RunFolder:
    """Return the folder of a run; `of_kernels` as if its kernels were those of a user's file."""
    made = plan(FakeBackend(scripts))
    folder = started(made, path)
    if of_kernels:
        folder.info = replace(folder.info, suite=replace(folder.info.suite, path="sums.cu"))
    list(run(made, folder))
    return folder


def with_noise(folder: RunFolder, verdict: str) -> RunFolder:
    folder.finish("2026-01-01T00:00:00Z", noise=Noise(verdict, "the evidence", "do this"))
    return folder


def test_bad_cases_are_counted_and_decide_the_exit_code(plan: Planner, tmp_path: Path) -> None:
    end = end_run(measured(plan, tmp_path / "run", {**SCRIPTS, "smem": Script(fault=one_lane(in_iteration(0)))}), None)
    assert [row.variant for row in end.bad] == ["smem"]
    assert end.bad_text == "1 of 2 cases failed or computed a wrong result"
    assert end.exit_code == 5
    assert count_run(tmp_path / "run", None).bad == end.bad


def test_a_run_without_bad_cases_says_nothing_of_them(plan: Planner, tmp_path: Path) -> None:
    end = end_run(measured(plan, tmp_path / "run", SCRIPTS), None)
    assert (end.bad_text, end.exit_code) == ("", 0)


@pytest.mark.parametrize("of_kernels", [True, False])
def test_joint_speedups_are_written_back_for_kernels_of_a_user(
    plan: Planner, tmp_path: Path, *, of_kernels: bool
) -> None:
    end = end_run(measured(plan, tmp_path / "run", SCRIPTS, of_kernels=of_kernels), None)
    stored, returned = (
        [row.joint_speedup_low for row in rows if row.joint_speedup_low is not None]
        for rows in (read_run(tmp_path / "run").rows, end.run.rows)
    )
    assert stored == pytest.approx(returned, rel=1e-4)
    assert len(stored) == (2 if of_kernels else 0)
    assert bool(end.ratios) == of_kernels
    assert len(end.sentences) > 0


def test_damaged_samples_are_a_problem_and_not_the_end_of_the_run(plan: Planner, tmp_path: Path) -> None:
    folder = measured(plan, tmp_path / "run", SCRIPTS, of_kernels=True)
    (tmp_path / "run" / SAMPLES_FILE).write_bytes(b"nonsense")
    end = end_run(folder, None)
    assert (end.times, end.ratios, len(end.sentences)) == (None, {}, 1)
    assert end.samples_problem.endswith("; ties are decided by the intervals of the rows alone")


def test_limits_are_stored_where_they_are_asked_for_of_finished_runs(plan: Planner, tmp_path: Path) -> None:
    folder, file = measured(plan, tmp_path / "run", SLOW), tmp_path / "run" / LIMITS_FILE
    limits = LimitContext({}, tmp_path / "baselines")
    assert end_run(folder, None).limits_problem == ""
    assert not file.exists()
    folder.reopen()
    assert count_run(folder.path, limits).limits_problem == ""
    assert not file.exists()
    folder.finish("2026-01-01T00:00:00Z")
    assert count_run(folder.path, limits).limits_problem == ""
    assert file.exists()


def test_a_problem_of_the_limits_is_returned(plan: Planner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_limits, "write_limits_of", lambda *_: "the limits are missing")
    end = end_run(measured(plan, tmp_path / "run", SCRIPTS), LimitContext({}, tmp_path))
    assert end.limits_problem == "the limits are missing"


@pytest.mark.parametrize(
    ("verdict", "of_kernels", "text", "is_warning"),
    [
        ("quiet", True, "The machine was quiet: the evidence.", False),
        ("busy machine", True, "busy machine: the evidence; do this", True),
        (UNSTEADY, False, f"{UNSTEADY}: the evidence; do this", True),
        (UNSTEADY, True, f"{UNSTEADY}: the evidence. {COVERED}", False),
    ],
)
def test_noise_is_a_warning_unless_the_intervals_include_it(
    plan: Planner, tmp_path: Path, verdict: str, text: str, *, of_kernels: bool, is_warning: bool
) -> None:
    folder = with_noise(measured(plan, tmp_path / "run", SCRIPTS, of_kernels=of_kernels), verdict)
    noise = end_run(folder, None).noise
    assert noise is not None
    assert (noise.text, noise.is_warning) == (text, is_warning)


def test_unsteady_noise_is_a_warning_where_no_kernel_is_shown_to_be_fastest(plan: Planner, tmp_path: Path) -> None:
    same = dict.fromkeys(SCRIPTS, Script())
    noise = end_run(with_noise(measured(plan, tmp_path / "run", same, of_kernels=True), UNSTEADY), None).noise
    assert noise is not None
    assert noise.is_warning

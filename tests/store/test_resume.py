from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Overrides, Sample, Status
from shflbench.errors import ResultsError
from shflbench.store import ResumedRun, RunInfo, RunSettings, SuiteText, read_run, resume
from shflbench.store.samples import read
from tests.fakes.runs import H200, info, measured, plan_groups, untimed, write_run

ROWS, SAMPLES = measured(patterns=["neighbor"], dtypes=["f32", "f64"], samples=8)
PLAN = [case for group in plan_groups(["neighbor"], ["f32", "f64"]) for case, _ in group]
F32, F64 = "neighbor/f32/26x1024/4096", "neighbor/f64/26x1024/4096"
LATER = replace(info(), started="2026-11-20T09:00:00Z")


def stopped(folder: Path, rows: int) -> Path:
    """Write a run that was stopped after some rows."""
    kept = {row.case_id for row in ROWS[:rows]}
    return write_run(folder, ROWS[:rows], [sample for sample in SAMPLES if sample.case_id in kept], finished=False)


def groups(resumed: ResumedRun) -> set[str]:
    plan = {case.id: case.group for case in PLAN}
    return {plan[row.case_id] for row in resumed.rows}


def test_groups_that_are_done_are_kept_and_others_start_anew(tmp_path: Path) -> None:
    run = stopped(tmp_path / "run", rows=8)
    resumed = resume(run, LATER, PLAN)
    assert groups(resumed) == {F32}
    assert [row.case_id for row in resumed.rows] == [row.case_id for row in ROWS[:6]]
    assert resumed.samples == tuple(sample for sample in read(run / "samples.csv.gz") if "/f32/" in sample.case_id)
    on_disk = read_run(run)
    assert on_disk.rows == resumed.rows
    assert set(on_disk.samples()["case_id"]) == {row.case_id for row in ROWS[:6]}


def test_a_resumed_run_ends_as_one_that_was_never_stopped(tmp_path: Path) -> None:
    whole = read_run(write_run(tmp_path / "whole", ROWS, SAMPLES))
    resumed = resume(stopped(tmp_path / "run", rows=9), LATER, PLAN)
    missing = [row for row in ROWS if row.dtype == "f64"]
    resumed.folder.append(missing, [sample for sample in SAMPLES if "/f64/" in sample.case_id])
    resumed.folder.finish("2026-11-20T09:00:30Z")
    again = read_run(tmp_path / "run")
    assert again.rows == whole.rows
    assert again.samples().equals(whole.samples())
    assert again.notes == ()


def test_the_time_of_resuming_is_recorded(tmp_path: Path) -> None:
    run = stopped(tmp_path / "run", rows=6)
    resume(run, LATER, PLAN)
    resume(run, replace(LATER, started="2026-11-20T10:00:00Z"), PLAN)
    recorded = read_run(run).info
    assert recorded.started == info().started
    assert recorded.resumed == ("2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z")


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.archs)])
def test_a_run_killed_at_any_byte_of_a_line_goes_on(tmp_path: Path, step: int) -> None:
    run = stopped(tmp_path / "run", rows=12)
    content = (run / "results.csv").read_bytes()
    start = content.rindex(b"\n", 0, -1) + 1
    about = (run / "run.json").read_bytes()
    samples = (run / "samples.csv.gz").read_bytes()
    for length in (*range(start, len(content), step), len(content) - 1):
        (run / "results.csv").write_bytes(content[:length])
        (run / "samples.csv.gz").write_bytes(samples[:-7])
        (run / "run.json").write_bytes(about)
        resumed = resume(run, LATER, PLAN)
        assert groups(resumed) == {F32}
        assert read_run(run).rows == resumed.rows


def test_a_run_with_every_row_but_no_end_has_nothing_left_to_measure(tmp_path: Path) -> None:
    resumed = resume(stopped(tmp_path / "run", rows=12), LATER, PLAN)
    assert groups(resumed) == {F32, F64}
    assert len(resumed.rows) == 12


def test_a_run_stopped_before_its_first_row_starts_anew(tmp_path: Path) -> None:
    resumed = resume(stopped(tmp_path / "run", rows=0), LATER, PLAN)
    assert (resumed.rows, resumed.samples, resumed.next_process) == ((), (), 0)


def test_a_finished_run_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", ROWS)
    with pytest.raises(ResultsError, match="is finished and cannot be resumed"):
        resume(run, LATER, PLAN)


@pytest.mark.parametrize(
    ("current", "sentence"),
    [
        (
            replace(LATER, suite=SuiteText("gtc2013", "", "mine.yaml", "schema: 1\n")),
            "the suite mine.yaml differs from the one",
        ),
        (replace(LATER, device=replace(H200, uuid="GPU-9")), f"its GPU was {H200.uuid}, and is now GPU-9"),
        (replace(LATER, device=None), f"its GPU was {H200.uuid}, and is now no GPU"),
        (replace(LATER, backend="none"), "its backend was cuda, and is now none"),
        (replace(LATER, arch="sm_100"), "its architecture was sm_90, and is now sm_100"),
        (replace(LATER, versions=replace(LATER.versions, driver="590.1")), "driver was 580.159, and is now 590.1"),
        (replace(LATER, versions=replace(LATER.versions, cccl="3.6")), "version of CCCL was None, and is now 3.6"),
        (replace(LATER, settings=replace(LATER.settings, seed=2)), "its setting `seed` was 1, and is now 2"),
    ],
)
def test_other_conditions_are_refused_and_change_nothing(tmp_path: Path, current: RunInfo, sentence: str) -> None:
    run = stopped(tmp_path / "run", rows=8)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    with pytest.raises(ResultsError) as caught:
        resume(run, current, PLAN)
    assert sentence in caught.value.message
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_settings_compare_as_they_are_written(tmp_path: Path) -> None:
    settings = RunSettings(overrides=Overrides(variants=("shfl", "smem")))
    started = replace(info(), settings=settings)
    run = write_run(tmp_path / "run", ROWS[:6], about=started, finished=False)
    later = replace(LATER, settings=settings)
    assert groups(resume(run, later, PLAN)) == {F32}


def test_a_row_that_is_not_planned_is_refused(tmp_path: Path) -> None:
    run = stopped(tmp_path / "run", rows=8)
    with pytest.raises(ResultsError, match="neighbor/smem/f64/26x1024/4096 is not a case of the suite"):
        resume(run, LATER, PLAN[:6])


def again(process: int, samples: Sequence[Sample], case_id: str = "") -> list[Sample]:
    """Return the samples as a later process would have taken them, of another case if its id is given."""
    return [replace(sample, process=process, case_id=case_id or sample.case_id) for sample in samples]


def test_processes_of_a_group_that_were_finished_are_kept_and_no_part_of_another(tmp_path: Path) -> None:
    first = [sample for sample in SAMPLES if "/f32/" in sample.case_id]
    rows = [replace(row, processes=(0, 1)) for row in ROWS[:6]]
    taken = [*first, *again(1, first), *again(2, first[:5])]  # the third was stopped
    resumed = resume(write_run(tmp_path / "run", rows, taken, finished=False), LATER, PLAN)
    assert {sample.process for sample in resumed.samples} == {0, 1}
    assert resumed.next_process == 2
    assert len(read_run(tmp_path / "run").samples()) == len(resumed.samples) == 2 * len(first)


def test_sentinels_are_kept_with_the_rounds_that_they_watched(tmp_path: Path) -> None:
    f32 = [sample for sample in SAMPLES if "/f32/" in sample.case_id]
    watched = [sample for process in (0, 1) for sample in again(process, f32[:1], "sentinel/l2")]
    folder = write_run(tmp_path / "run", ROWS[:6], f32, finished=False)
    resume(folder, LATER, PLAN).folder.append((), watched)
    resumed = resume(folder, LATER, PLAN)
    kept = [sample.process for sample in resumed.samples if sample.case_id == "sentinel/l2"]
    assert kept == [0]  # of process 1 there is no row


def test_what_was_taken_of_a_case_that_failed_is_kept(tmp_path: Path) -> None:
    failed = [untimed(row, Status.FAILED, "it crashed") for row in ROWS[:6]]
    f32 = [sample for sample in SAMPLES if "/f32/" in sample.case_id]
    resumed = resume(write_run(tmp_path / "run", failed, f32, finished=False), LATER, PLAN)
    assert len(resumed.samples) == len(f32)
    assert resumed.next_process == 1

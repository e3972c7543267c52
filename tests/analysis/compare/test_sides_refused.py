"""Files of a run that do not belong together, or not any more."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.compare import Side
from shflbench.errors import ResultsError
from shflbench.model import Status
from shflbench.store import Run, files, read_run, samples
from shflbench.store.files import ROWS_FILE, SAMPLES_FILE
from tests.fakes.processes import Simulated, spread, write
from tests.fakes.three_cases import FEW, FIRST, SECOND, THIRD, without


def stopped(run: Run) -> Run:
    return replace(run, info=replace(run.info, finished=None))


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (replace(FEW, seed=9), r"took .* µs by its row and .* µs by its samples"),
        (replace(FEW, processes=3), r"has \d+ samples in its row, and \d+ of them are there"),
        (replace(FEW, cases=spread(3, 20.0)), "by its samples"),
    ],
    ids=["another measurement", "another number", "other times"],
)
def test_samples_of_another_run_are_refused(run: Run, tmp_path: Path, other: Simulated, difference: str) -> None:
    shutil.copy(write(tmp_path / "other", other) / SAMPLES_FILE, run.folder)
    with pytest.raises(
        ResultsError, match=rf"the samples in .*run do not belong to its rows: .*{difference}"
    ) as caught:
        Side.of([run])
    assert "\n" not in caught.value.message


def test_samples_of_another_suite_are_refused(run: Run, tmp_path: Path) -> None:
    other = write(tmp_path / "other", replace(FEW, cases=dict(list(spread(8).items())[4:])))
    shutil.copy(other / SAMPLES_FILE, run.folder)
    with pytest.raises(ResultsError, match=r"results\.csv is damaged: it has no row of reduce/"):
        Side.of([run])


def test_only_an_unfinished_run_may_lack_rows(run: Run) -> None:
    cut = replace(run, rows=run.rows[:-1])
    with pytest.raises(ResultsError, match=rf"results\.csv is damaged: it has no row of {THIRD}"):
        Side.of([cut])
    assert list(Side.of([stopped(cut)]).rows) == [FIRST, SECOND]


def test_only_an_unfinished_run_may_have_a_half_written_row(run: Run) -> None:
    path = run.folder / ROWS_FILE
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ResultsError, match=r"results\.csv: the last line is half-written"):
        Side.of([read_run(run.folder)])
    assert list(Side.of([stopped(read_run(run.folder))]).rows) == [FIRST, SECOND]


def test_a_case_that_was_not_timed_needs_no_samples(run: Run) -> None:
    bare = without(run, lambda sample: sample.case_id == FIRST)
    failed = replace(run.rows[0], status=Status.FAILED)
    assert FIRST not in Side.of([replace(bare, rows=(failed, *run.rows[1:]))]).kernels
    with pytest.raises(ResultsError, match="and 0 of them are there"):
        Side.of([replace(bare, rows=run.rows)])


def test_samples_without_a_line_are_refused(run: Run) -> None:
    (run.folder / SAMPLES_FILE).write_bytes(samples.header())
    with pytest.raises(ResultsError, match="0 of them are there"):
        Side.of([run])


def test_samples_that_a_kill_cut_off_are_refused_in_a_finished_run_only(run: Run) -> None:
    path = run.folder / SAMPLES_FILE
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ResultsError, match="its end is missing"):
        Side.of([run])
    assert Side.of([stopped(run)]).kernels.keys() >= {FIRST, SECOND, THIRD}


def test_a_kill_between_samples_and_row_does_no_harm_to_an_unfinished_run(run: Run) -> None:
    path = run.folder / SAMPLES_FILE
    further = [replace(sample, process=7) for sample in samples.read(path) if sample.case_id == FIRST]
    files.append(path, samples.encode(further))
    with pytest.raises(ResultsError, match="do not belong to its rows"):
        Side.of([run])
    assert (0, 7) in Side.of([stopped(run)]).kernels[FIRST].counts[4096]


def test_an_unfinished_run_must_have_the_samples_of_its_rows(run: Run) -> None:
    short = without(run, lambda sample: sample.case_id == FIRST and sample.process == 1)
    with pytest.raises(ResultsError, match="do not belong to its rows"):
        Side.of([stopped(replace(short, rows=run.rows))])

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from shflbench.analysis.compare import Side
from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store import Run, SentinelSet, read_run, run_files, samples
from shflbench.store.run_files import ROWS_FILE, SAMPLES_FILE
from tests.fakes.processes import Simulated, in_memory, spread, write
from tests.fakes.runs import info, untimed
from tests.fakes.simulated import SENTINEL_US
from tests.fakes.three_cases import FEW, FIRST, SECOND, THIRD, without

SHORT, *_, LONG = SENTINEL_US


def test_every_sample_is_in_its_process_and_round(run: Run) -> None:
    side = Side.of([run])
    for name, processes in in_memory(FEW).items():
        kernel = side.kernels[name]
        found = kernel.counts[max(kernel.counts)]
        assert list(found) == [(0, 0), (0, 1)]
        for rounds, known in zip(found.values(), processes, strict=True):
            assert len(rounds) == len(known) == 4
            for times, expected in zip(rounds, known, strict=True):
                assert times.tolist() == pytest.approx(expected.tolist(), rel=1e-6)


def test_cases_have_three_iteration_counts_and_their_own_launches(run: Run) -> None:
    side = Side.of([run])
    assert {len(side.kernels[name].counts) for name in (FIRST, SECOND, THIRD)} == {3}
    assert (side.kernels[FIRST].launches, side.kernels[LONG].launches) == (8, 1)
    assert side.kernels[FIRST].at(7) is None


def test_the_estimates_of_all_cases_are_those_of_each(run: Run) -> None:
    side = Side.of([run])
    estimates = side.estimates([*side.rows.values(), replace(side.rows[FIRST], case_id="unmeasured")])
    assert list(estimates) == [FIRST, SECOND, THIRD]
    for name, known in estimates.items():
        alone = side.kernels[name].at(side.rows[name].iterations)
        assert alone is not None
        assert known.processes == alone.processes
        assert known.values.tolist() == alone.values.tolist()


def test_the_processes_of_several_runs_count_together(run: Run, tmp_path: Path) -> None:
    other = read_run(write(tmp_path / "other", replace(FEW, processes=3, seed=5)))
    side = Side.of([run, other], "both")
    found = side.kernels[FIRST].at(4096)
    assert found is not None
    assert found.processes == ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2))
    assert (side.info().runs, side.info().processes, side.info().name) == (2, 5, "both")


def test_a_side_is_named_by_its_folders(run: Run) -> None:
    assert Side.of([run]).name == str(run.folder)


def test_the_side_describes_itself(run: Run) -> None:
    described = Side.of([run]).info()
    assert (described.suite, described.device, described.driver, described.nvrtc) == (
        "gtc2013",
        "NVIDIA H200",
        "580.159",
        "13.0.48",
    )
    assert (described.gpus, described.runs, described.processes) == ((run.info.device.uuid,), 1, 2)  # type: ignore[union-attr]
    assert described.started == "2026-11-20T08:00:00Z"


def test_processes_are_counted_by_the_case_that_has_fewest(run: Run) -> None:
    fewer = without(run, lambda sample: sample.case_id == SECOND and sample.process == 1)
    assert Side.of([fewer]).info().processes == 1


@pytest.mark.parametrize("gone", ["base", "other"])
def test_samples_are_used_only_if_all_runs_have_them(run: Run, tmp_path: Path, gone: str) -> None:
    other = read_run(write(tmp_path / "other", FEW))
    ((run if gone == "base" else other).folder / SAMPLES_FILE).unlink()
    side = Side.of([run, other])
    assert side.kernels == {}
    assert side.info().processes == 0
    assert side.rows.keys() == {FIRST, SECOND, THIRD}


WORST_LAST = (Status.TIMED, Status.VERIFIED, Status.COMPILED, Status.SKIPPED, Status.INCORRECT, Status.FAILED)


@pytest.mark.parametrize(("better", "worse"), list(pairwise(WORST_LAST)))
def test_a_case_has_the_worst_status_of_its_runs(run: Run, better: Status, worse: Status) -> None:
    bare = replace(run, folder=run.folder / "without-samples")
    runs = [
        replace(bare, rows=(replace(untimed(bare.rows[0], status, "why"), case_id=FIRST),))
        for status in (better, worse)
    ]
    assert Side.of(runs).rows[FIRST].status is worse
    assert Side.of(runs[::-1]).rows[FIRST].status is worse


def test_a_case_of_one_run_only_is_a_case_of_the_side(run: Run, tmp_path: Path) -> None:
    other = read_run(write(tmp_path / "other", replace(FEW, cases=dict(list(FEW.cases.items())[:1]))))
    side = Side.of([other, run])
    assert list(side.rows) == [FIRST, SECOND, THIRD]
    assert [len(side.kernels[name].counts[4096]) for name in side.rows] == [4, 2, 2]


def test_processes_with_other_launches_per_sample_disagree(run: Run) -> None:
    path = run.folder / SAMPLES_FILE
    changed = [
        replace(sample, launches=1) if sample.case_id == FIRST and sample.process == 1 else sample
        for sample in samples.read(path)
    ]
    path.write_bytes(samples.header() + samples.encode(changed))
    side = Side.of([run])
    assert (side.kernels[FIRST].launches, side.kernels[SECOND].launches) == (0, 8)


def test_dropped_samples_are_left_out(run: Run) -> None:
    path = run.folder / SAMPLES_FILE
    known = Side.of([run]).kernels[FIRST].at(4096)
    run_files.append(
        path, samples.encode([replace(sample, dropped=True, time_us=9e9) for sample in samples.read(path)])
    )
    found = Side.of([run]).kernels[FIRST].at(4096)
    assert known is not None
    assert found is not None
    assert found.values.tolist() == known.values.tolist()


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_crashed_process_is_left_out_if_others_are_complete(run: Run, rounds: int) -> None:
    cut = without(run, lambda sample: sample.case_id == FIRST and sample.process == 1 and sample.round >= rounds)
    found = Side.of([cut]).kernels[FIRST].at(4096)
    assert found is not None
    assert found.processes == ((0, 0),)
    both = without(run, lambda sample: sample.case_id == FIRST and sample.round >= rounds)
    short = Side.of([both]).kernels[FIRST].at(4096)
    assert short is not None
    assert (len(short), short.rounds) == (2, (rounds, rounds))


def test_runs_of_other_sentinels_have_none_in_common(run: Run) -> None:
    other = replace(run, info=replace(run.info, sentinels=SentinelSet("other")))
    assert Side.of([run]).sentinels != ""
    assert Side.of([run, run]).sentinels == Side.of([run]).sentinels
    assert Side.of([run, other]).sentinels == ""
    assert Side.of([replace(run, info=replace(run.info, sentinels=None))]).sentinels == ""


def test_sentinels_are_used_only_if_all_processes_timed_them(run: Run) -> None:
    assert Side.of([run]).sentinel_estimates().keys() == SENTINEL_US.keys()
    partly = without(run, lambda sample: sample.case_id == SHORT and sample.process == 1)
    assert Side.of([partly]).sentinel_estimates().keys() == SENTINEL_US.keys() - {SHORT}


def test_a_run_of_no_gpu_has_a_side_too(tmp_path: Path) -> None:
    bare = Run(tmp_path, info(device=None, backend="none"), ())
    side = Side.of([bare]).info()
    assert (side.device, side.gpus, side.driver, side.processes) == ("", (), "", 0)


def stopped(run: Run) -> Run:
    return replace(run, info=replace(run.info, finished=None))


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (replace(FEW, seed=9), r"took .* µs by its row, but .* µs by its samples"),
        (replace(FEW, processes=3), r"has \d+ samples by its row, but the file has \d+"),
        (replace(FEW, cases=spread(3, 20.0)), "by its samples"),
    ],
    ids=["another measurement", "another number", "other times"],
)
def test_samples_of_another_run_are_refused(run: Run, tmp_path: Path, other: Simulated, difference: str) -> None:
    shutil.copy(write(tmp_path / "other", other) / SAMPLES_FILE, run.folder)
    with pytest.raises(ResultsError, match=rf"the samples in .*run do not match its rows: .*{difference}") as caught:
        Side.of([run])
    assert "\n" not in caught.value.message


def test_samples_of_another_suite_are_refused(run: Run, tmp_path: Path) -> None:
    other = write(tmp_path / "other", replace(FEW, cases=dict(list(spread(8).items())[4:])))
    shutil.copy(other / SAMPLES_FILE, run.folder)
    with pytest.raises(ResultsError, match=r"results\.csv is damaged: it has no row of reduce/"):
        Side.of([run])


def test_rows_may_be_missing_only_in_an_unfinished_run(run: Run) -> None:
    cut = replace(run, rows=run.rows[:-1])
    with pytest.raises(ResultsError, match=rf"results\.csv is damaged: it has no row of {THIRD}"):
        Side.of([cut])
    assert list(Side.of([stopped(cut)]).rows) == [FIRST, SECOND]


def test_only_an_unfinished_run_may_have_a_half_written_row(run: Run) -> None:
    path = run.folder / ROWS_FILE
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ResultsError, match=r"results\.csv: the last line is incomplete"):
        Side.of([read_run(run.folder)])
    assert list(Side.of([stopped(read_run(run.folder))]).rows) == [FIRST, SECOND]


def test_a_case_that_was_not_timed_needs_no_samples(run: Run) -> None:
    bare = without(run, lambda sample: sample.case_id == FIRST)
    failed = replace(run.rows[0], status=Status.FAILED)
    assert FIRST not in Side.of([replace(bare, rows=(failed, *run.rows[1:]))]).kernels
    with pytest.raises(ResultsError, match="but the file has 0"):
        Side.of([replace(bare, rows=run.rows)])


def test_samples_without_a_line_are_refused(run: Run) -> None:
    (run.folder / SAMPLES_FILE).write_bytes(samples.header())
    with pytest.raises(ResultsError, match="the file has 0"):
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
    run_files.append(path, samples.encode(further))
    with pytest.raises(ResultsError, match="do not match its rows"):
        Side.of([run])
    assert (0, 7) in Side.of([stopped(run)]).kernels[FIRST].counts[4096]


def test_an_unfinished_run_must_have_the_samples_of_its_rows(run: Run) -> None:
    short = without(run, lambda sample: sample.case_id == FIRST and sample.process == 1)
    with pytest.raises(ResultsError, match="do not match its rows"):
        Side.of([stopped(replace(short, rows=run.rows))])

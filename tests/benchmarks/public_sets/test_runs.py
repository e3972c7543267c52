"""Results that are kept for a run that resumes."""

from dataclasses import replace
from pathlib import Path

from benchmarks.public_sets.arguments import RunArguments
from benchmarks.public_sets.job import Job, JobResult, KernelResult, check
from benchmarks.public_sets.runs import Finished, run_one

JOB = Job("/sets/faial", "a.cu", (RunArguments(launches=("1x32",), args=("n=8",)), RunArguments("k", shared=64)))
RESULT = JobResult((KernelResult("k", "clean", "no hazard", launches=("1x32",)),), ("template: k<int>",), seconds=1.5)


def test_results_are_kept_line_by_line(tmp_path: Path) -> None:
    finished = Finished(tmp_path / "kept.jsonl")
    assert finished.read() == {}
    finished.add(JOB, RESULT)
    finished.add(Job("/sets/faial", "b.cu"), RESULT)
    # On another machine, the clone may lie in another folder.
    elsewhere = replace(JOB, clone="/other/faial"), Job("/other/faial", "b.cu")
    assert finished.read() == dict.fromkeys((job.key() for job in elsewhere), RESULT)


def test_the_half_line_of_a_stopped_run_is_left_out(tmp_path: Path) -> None:
    finished = Finished(tmp_path / "kept.jsonl")
    finished.add(JOB, RESULT)
    with finished.path.open("a") as lines:
        lines.write('{"job": "b')
    assert finished.read() == {JOB.key(): RESULT}


def test_a_file_without_a_verdict_is_tried_again(tmp_path: Path) -> None:
    finished = Finished(tmp_path / "kept.jsonl")
    late = JobResult(error="no verdict after 60 s")
    finished.add(JOB, late)
    assert finished.read() == {}
    assert finished.read(errors=True) == {JOB.key(): late}
    finished.add(JOB, RESULT)
    assert finished.read() == {JOB.key(): RESULT}


def test_options_that_do_not_fit_are_the_error_of_a_result() -> None:
    assert "is not NAME=VALUE" in check(Job(".", "a.cu", (RunArguments(args=("n",)),))).error


def test_a_fault_of_check_costs_one_file() -> None:
    faulty = Job(".", "a.cu", runs=None)  # type: ignore[arg-type]
    assert "ended with exit code 1" in run_one(faulty, seconds=60).error

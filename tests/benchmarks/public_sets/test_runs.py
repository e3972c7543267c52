"""Results that are kept for a run that resumes."""

from dataclasses import replace
from pathlib import Path

from benchmarks.public_sets.arguments import RunArguments
from benchmarks.public_sets.job import Job, JobResult, KernelResult, check
from benchmarks.public_sets.runs import finished, keep, machine, run_one

JOB = Job("/sets/faial", "a.cu", (RunArguments(launches=("1x32",), args=("n=8",)), RunArguments("k", shared=64)))
RESULT = JobResult((KernelResult("k", "clean", "no hazard", launches=("1x32",)),), ("template: k<int>",), seconds=1.5)


def test_results_are_kept_line_by_line_and_files_without_a_verdict_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    assert finished(path) == {}
    late = JobResult(error="no verdict after 60 s")
    keep(path, JOB, late)
    assert finished(path) == {}
    assert finished(path, errors=True) == {JOB.key(): late}
    keep(path, JOB, RESULT)
    keep(path, Job("/sets/faial", "b.cu"), RESULT)
    # On another machine, the clone may lie in another folder.
    elsewhere = replace(JOB, clone="/other/faial"), Job("/other/faial", "b.cu")
    assert finished(path) == dict.fromkeys((job.key() for job in elsewhere), RESULT)


def test_options_that_do_not_fit_are_the_error_of_a_result() -> None:
    assert "is not NAME=VALUE" in check(Job(".", "a.cu", (RunArguments(args=("n",)),))).error


def test_a_fault_of_check_costs_one_file() -> None:
    faulty = Job(".", "a.cu", runs=None)  # type: ignore[arg-type]
    assert "ended with exit code 1" in run_one(faulty, seconds=60).error


def test_a_machine_is_its_number_of_cores_and_their_model(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name : EPYC 9654\n")
    assert machine(tmp_path / "cpuinfo").endswith("cores of EPYC 9654")

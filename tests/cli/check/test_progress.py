"""`--budget` and `--time-limit`, and what stderr shows of a file that takes long."""

from pathlib import Path

import pytest

from shflbench.checker import CheckStep, KernelReport, KernelVerdict
from shflbench.cli.check.progress import LONG_S, FileProgress
from shflbench.cli.console import Console, Progress
from shflbench.cuda_sources import SourceLine
from tests.conftest import Command

TWO = """\
__global__ void first(int *out) { out[threadIdx.x] = 1; }
__global__ void second(int *out) { out[threadIdx.x] = 2; }
"""


class Steps(Progress):
    def __init__(self) -> None:
        self.shown: list[tuple[str, float, float]] = []

    def show(self, text: str, done: float, total: float, detail: str = "") -> None:  # noqa: ARG002
        self.shown.append((text, done, total))


def finished(number: int, kernels: int, name: str) -> CheckStep:
    report = KernelReport(name, name, SourceLine(Path("k.cu"), 1), KernelVerdict.CLEAN, "no hazard\nmore")
    return CheckStep(number, kernels, name, report)


def test_without_time_no_kernel_is_checked_and_the_exit_code_is_5(shflbench: Command) -> None:
    Path("k.cu").write_text(TWO, encoding="utf-8")
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "--time-limit", "0")
    assert outcome.code == 5
    assert outcome.out.splitlines()[1] == "k.cu    not checked  the time limit of 0 s was reached"


def test_without_budget_kernels_are_compiled_and_not_checked(shflbench: Command) -> None:
    Path("k.cu").write_text(TWO, encoding="utf-8")
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "--budget", "0")
    assert outcome.code == 5
    reached = "the budget of 0 million instructions was reached before it ran; give more with --budget"
    assert " ".join(outcome.out.split()).count(reached) == 2


@pytest.mark.parametrize("option", ["--time-limit", "--budget"])
def test_the_limits_apply_to_files_only(shflbench: Command, option: str) -> None:
    outcome = shflbench("check", "neighbor", option, "5")
    assert outcome.code == 2
    assert f"{option} applies to .cu, .cuh and .ptx files" in outcome.err


def test_the_kernel_that_runs_is_shown_with_its_number() -> None:
    steps = Steps()
    progress = FileProgress(Console(), steps)
    progress.show(CheckStep())
    progress.show(CheckStep(2, 3, "sum<float>"))
    assert steps.shown == [("compiling", 0, 1), ("checking sum<float>, kernel 2 of 3", 1, 3)]


def test_verdicts_of_a_file_that_takes_long_are_shown_when_they_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    progress = FileProgress(Console(), Progress(), lambda: now)
    progress.show(finished(1, 4, "a"))
    assert capsys.readouterr().err == ""
    now = LONG_S
    progress.show(finished(2, 4, "b"))
    assert capsys.readouterr().err.splitlines() == ["a: clean, no hazard", "b: clean, no hazard"]
    progress.show(finished(3, 4, "c"))
    assert capsys.readouterr().err == "c: clean, no hazard\n"
    progress.show(finished(4, 4, "d"))  # the whole report follows
    assert capsys.readouterr().err == ""


def test_progress_of_a_short_check_prints_nothing(shflbench: Command) -> None:
    Path("k.cu").write_text(TWO, encoding="utf-8")
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc")
    assert outcome.err.startswith("2 kernels for sm_90 by NVRTC ")


def test_verbose_prints_each_step(shflbench: Command) -> None:
    Path("k.cu").write_text(TWO, encoding="utf-8")
    steps = shflbench("check", "k.cu", "--compiler", "nvrtc", "-v").err
    assert "checking second, kernel 2 of 2" in steps

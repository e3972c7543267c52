"""Reports from the cache are those of a check, and nothing that decides a report is left out of its key."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.checker import report_cache
from shflbench.checker.file_check import CheckStep, check_kernels
from shflbench.checker.file_reading import read_file
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.options import CheckLimits, FileOptions, LaunchOptions
from shflbench.checker.report import FileReport
from shflbench.checker.report_cache import REPORT, cached_report
from shflbench.checker.verdict import KernelVerdict
from shflbench.cuda.compile import data_cache
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers
from shflbench.emulator.file_budget import FileBudget

RACE = """\
__global__ void shift(float* out, const float* in, int n) {
    __shared__ float part[64];
    part[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = part[(threadIdx.x + 1) % 64] + n;
}
__global__ void copy(float* out, const float* in, int n) { out[threadIdx.x] = in[threadIdx.x] + n; }
int main() {
    float *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    shift<<<1, 64>>>(out, in, 1);
    copy<<<1, 64>>>(out, in, 1);
}
"""


class Checks:
    """Checks a file, and counts how often the emulator was used."""

    def __init__(self, path: Path, options: FileOptions) -> None:
        self.path, self.options = path, options
        self.emulated = 0
        self.steps: list[CheckStep] = []

    def __call__(self, text: str = RACE, **options: Any) -> FileReport:
        self.path.write_text(text, encoding="utf-8")
        given = replace(self.options, **options)
        self.steps = []
        return cached_report(read_file(self.path, given), given.begun(), self.steps.append)

    @property
    def finished(self) -> list[CheckStep]:
        return [step for step in self.steps if step.report is not None]


@pytest.fixture
def check(tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Checks:
    """Check a file with a cache for reports, where compiled kernels come from that of the tests."""
    monkeypatch.chdir(tmp_path)
    checks = Checks(Path("kernels.cu"), FileOptions(compilers=Compilers(find(), cache=kernel_cache), outputs=False))

    def counted(*arguments: object) -> FileReport:
        checks.emulated += 1
        return check_kernels(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(report_cache, "check_kernels", counted)
    monkeypatch.setattr(data_cache, "entry_path", lambda _, name, kind: tmp_path / "reports" / f"{name}.{kind}")
    return checks


def test_report_of_the_cache_is_that_of_the_check(check: Checks) -> None:
    first, steps = check(), check.finished
    assert {kernel.name: kernel.verdict for kernel in first.kernels} == {
        "shift": KernelVerdict.BROKEN,
        "copy": KernelVerdict.CLEAN,
    }
    assert first.kernels[0].findings
    assert (check(), check.finished) == (first, steps)
    assert check.emulated == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("part[threadIdx.x] = in[threadIdx.x];", "part[threadIdx.x] = in[threadIdx.x]; __syncthreads();"),
        ("__global__ void shift", "\n__global__ void shift"),
        ("shift<<<1, 64>>>", "shift<<<1, 32>>>"),
        ("int main", "// main\nint main"),
    ],
    ids=["code", "line", "launch", "comment"],
)
def test_an_edit_is_checked_again(check: Checks, before: str, after: str) -> None:
    first = check()
    second = check(RACE.replace(before, after, 1))
    assert check.emulated == 2
    assert (second != first) is (after != "// main\nint main")


@pytest.mark.parametrize("option", [{"given": LaunchOptions(seed=1)}, {"kernels": ("copy",)}, {"outputs": True}])
def test_another_option_is_checked_again(check: Checks, option: dict[str, Any]) -> None:
    check()
    check(**option)
    assert check.emulated == 2


def test_contents_of_a_given_array_are_part_of_the_key(check: Checks) -> None:
    values = np.zeros(100_000, "f4")  # of which NumPy shows the ends only
    for value in (0, 1, 1):
        values[50_000] = value
        np.save("in.npy", values)
        check(given=LaunchOptions(arguments=parse_arguments(["in=in.npy"])))
    assert check.emulated == 2


def test_another_version_of_the_checker_checks_again(check: Checks, monkeypatch: pytest.MonkeyPatch) -> None:
    check()
    monkeypatch.setattr(data_cache, "_code", lambda: "another")
    check()
    assert check.emulated == 2


@pytest.mark.parametrize("stage", ["emulator", "cuda_sources", "checker", "cuda/compile"])
def test_the_code_of_each_stage_of_a_check_determines_its_entry(stage: str) -> None:
    assert (data_cache.PACKAGE / stage).is_dir()
    assert stage in data_cache.CODE


@pytest.mark.parametrize("damage", [b"", b"no zlib", None])
def test_a_damaged_entry_is_ignored(check: Checks, tmp_path: Path, damage: bytes | None) -> None:
    first = check()
    (entry,) = (tmp_path / "reports").glob(f"*.{REPORT}")
    entry.write_bytes(entry.read_bytes()[:-9] if damage is None else damage)
    assert check() == first
    assert check.emulated == 2
    assert check() == first
    assert check.emulated == 2  # the entry was written again


def test_a_report_that_the_time_limit_shortened_is_not_kept(check: Checks) -> None:
    seconds = iter(range(10**6))
    short = check(limits=CheckLimits(time_limit_s=4.0, clock=lambda: float(next(seconds))))
    assert KernelVerdict.NOT_CHECKED in {kernel.verdict for kernel in short.kernels}
    assert check() != short
    assert check.emulated == 2


def test_a_report_that_the_budget_shortened_is_kept_for_that_budget(check: Checks) -> None:
    short = check(limits=CheckLimits(100))
    assert KernelVerdict.NOT_CHECKED in {kernel.verdict for kernel in short.kernels}
    assert check(limits=CheckLimits(100)) == short
    assert check.emulated == 1
    assert check() != short
    assert check.emulated == 2


def test_a_part_of_a_budget_tells_the_whole_that_the_time_was_over() -> None:
    now = [0.0]
    budget = FileBudget.of(1000, 100.0, lambda: now[0])
    part = budget.part_of(10)
    assert not part.is_over
    assert not budget.has_timed_out
    now[0] = 100.0
    assert part.is_over
    assert budget.has_timed_out

"""Verdicts do not depend on the clock: they are the same on a machine where everything takes ten times as long."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import CheckLimits, FileOptions
from shflbench.checker.report import FileReport
from shflbench.core.bounds import BUDGET, MILLION, TIME_LIMIT_S
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers

CHECKER = Path(__file__).parent
FEW = [
    *sorted((CHECKER / "fixes" / "open").glob("*.cu"))[::8],
    *sorted((CHECKER / "kernels" / "public").glob("*.cu"))[::8],
]
MANY = sorted(
    path
    for folder in ("kernels/algorithms", "kernels/public", "fixes/open", "fixes/held_out")
    for path in (CHECKER / folder).glob("*.cu")
)
SECOND = 1e-4  # per look at the clock: 1,000 looks take 0.1 s

# Takes more looks at the clock than a limit of a minute has at ten times the time, and ends within the budget.
LONG = """\
__global__ void steps(unsigned* out, unsigned n) {
    unsigned state = threadIdx.x;
    for (unsigned i = 0; i < n; ++i) state = state * 1664525u + 1013904223u;
    out[threadIdx.x] = state;
}
int main() {
    unsigned* out;
    cudaMalloc(&out, 64 * sizeof(unsigned));
    steps<<<1, 64>>>(out, 30000);
}
"""


def clock(seconds: float) -> Callable[[], float]:
    """Return a clock that advances by so many seconds at each look."""
    looks: Iterator[int] = count()
    return lambda: next(looks) * seconds


def check(path: Path, seconds: float, **options: float) -> FileReport:
    usual = CheckLimits(BUDGET * MILLION, time_limit_s=TIME_LIMIT_S, clock=clock(seconds))
    limits = replace(usual, **options)  # type: ignore[arg-type]
    return check_file(path, FileOptions(compilers=Compilers(find()), limits=limits, outputs=False))


def verdicts(path: Path, seconds: float, **options: float) -> list[tuple[str, str, str]]:
    kernels = check(path, seconds, **options).kernels
    return [(kernel.name, kernel.verdict.value, kernel.sentence) for kernel in kernels]


@pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)
def test_ten_times_the_time_changes_no_verdict(path: Path) -> None:
    assert verdicts(path, 10 * SECOND) == verdicts(path, SECOND)


@pytest.mark.one_in(6)
@pytest.mark.archs
@pytest.mark.parametrize("path", MANY, ids=lambda path: path.stem)
def test_ten_times_the_time_changes_no_verdict_of_a_hundred_files(path: Path) -> None:
    assert verdicts(path, 10 * SECOND) == verdicts(path, SECOND)


@pytest.mark.archs
def test_a_long_loop_has_one_verdict_by_any_clock(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(LONG, encoding="utf-8")
    slow = verdicts(path, 0.01)
    assert slow == verdicts(path, 0.0)
    assert [verdict for _, verdict, _ in slow] == ["clean"]


def test_a_budget_ends_a_check_in_one_place_by_any_clock(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(LONG, encoding="utf-8")
    ended = verdicts(path, 0.0, most_work=20_000)
    assert ended == verdicts(path, SECOND, most_work=20_000)
    assert [verdict for _, verdict, _ in ended] == ["clean"]  # of a shorter launch
    assert "; the budget of 0.02 million instructions was reached; " in ended[0][2]

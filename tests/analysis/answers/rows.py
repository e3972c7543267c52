"""Runs with chosen times, and committed ones, for advice."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from shflbench.analysis.answers.answer import Answer
from shflbench.analysis.answers.group_answers import answers_of
from shflbench.core.model import Case, Launch
from shflbench.store import Row, Run, read_run
from tests.fakes.runs import info, measured

RESULTS = Path(__file__).parents[3] / "results"


def run_of(
    *dtypes: str,
    pattern: str = "neighbor",
    launches: tuple[str, ...] = ("26x1024",),
    options: tuple[str, ...] = ("",),
    us: Callable[[Case], float | None] = lambda _: None,
    half_width: float = 0.001,
) -> Run:
    """Return a run of a pattern in which cases take `us`, or as long as on an H200, with intervals of a half-width."""
    rows, _ = measured(patterns=[pattern], dtypes=dtypes or ("f32",), launches=launches, options=options, samples=6)
    return Run(Path("run"), info(), tuple(_timed(row, us(_case(row)), half_width) for row in rows))


def times(us: Mapping[str, float]) -> Callable[[Case], float | None]:
    """Return the times of variants."""
    return lambda case: us.get(case.variant)


def answer(run: Run) -> Answer:
    """Return the only answer of a run."""
    (only,) = answers_of(run, {})
    return only


def committed(suite: str, pattern: str) -> Run:
    """Return the rows of one pattern of a committed run."""
    run = read_run(RESULTS / suite / "nvidia-h200")
    return replace(run, rows=tuple(row for row in run.rows if row.pattern == pattern))


def _case(row: Row) -> Case:
    return Case(
        row.pattern, row.variant, row.dtype, Launch(row.launch, row.block, row.grid), row.iterations, row.options
    )


def _timed(row: Row, us: float | None, half_width: float) -> Row:
    time = us or row.time_us or 1.0
    return replace(row, time_us=time, time_low_us=time * (1 - half_width), time_high_us=time * (1 + half_width))

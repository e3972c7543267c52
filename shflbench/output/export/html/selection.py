"""Choose the runs of a report that answer a question: on each GPU, the newest of each suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.settings import factors
from shflbench.core.grouping import group_by
from shflbench.output.export.html.texts import short
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from shflbench.analysis.claims.times import UncertainValue
    from shflbench.core.model import Device
    from shflbench.store import Row, Run
    from shflbench.store.limits_file import CaseLimit

MEASURED = "cuda"  # the backend of runs whose times are those of a GPU


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A timed row, or one that failed beside timed ones, with its run and its limit."""

    row: Row
    run: Run
    limit: CaseLimit | None


class TimesOfRuns:
    """The times of rows of several runs; the samples of a run are read when a time of it is needed."""

    def __init__(self, rows: Sequence[TimedRow], times: Mapping[Path, RunTimes]) -> None:
        """Take the rows, and the times of their runs by folder."""
        self._times = {item.row.case_id: times[item.run.folder] for item in rows}

    def measured(self, row: Row, quantity: str) -> UncertainValue | None:
        """Return a quantity of a row, such as `time`; None where its run does not have it."""
        return self._times[row.case_id].measured(row, quantity)


@dataclass(frozen=True, slots=True)
class GpuRows:
    """The newest results on one model of GPU."""

    gpu: str
    runs: tuple[Run, ...]  # the newest of each suite
    rows: tuple[TimedRow, ...]  # of these runs, each case once
    times: Mapping[Path, RunTimes]  # by run folder

    @property
    def device(self) -> Device | None:
        """The GPU; None where the runs do not say."""
        return next((run.info.device for run in self.runs if run.info.device), None)

    def of_pattern(self, pattern: str) -> tuple[TimedRow, ...]:
        """Return the rows of one pattern."""
        return tuple(item for item in self.rows if item.row.pattern == pattern)


def is_measured(run: Run) -> bool:
    """Return whether the run has times: of a GPU, or of another tool."""
    is_timed = run.info.backend == MEASURED or run.info.converted is not None
    return is_timed and any(row.time_us is not None for row in run.rows)


def gpu_of(run: Run) -> str:
    """Return the model of the run's GPU, or what stood in for it."""
    device, converted = run.info.device, run.info.converted
    if device is not None and (run.info.backend == MEASURED or converted):
        return short(device.name) or device.arch
    if converted:
        return "an unknown GPU"
    return f"{'emulator' if run.info.backend == 'emulator' else 'no GPU'} ({run.info.arch})"


def in_order(runs: Iterable[Run]) -> list[Run]:
    """Return the runs by date, oldest first."""
    return sorted(runs, key=lambda run: (run.info.started, str(run.folder)))


def newest(runs: Sequence[Run]) -> list[Run]:
    """Return the newest run of each suite on each GPU, oldest first."""
    latest = {(gpu_of(run), run.info.suite.name): run for run in in_order(runs)}
    return in_order(latest.values())


def times_of(runs: Sequence[Run]) -> dict[Path, RunTimes]:
    """Return the times of the runs that have some, by folder; the samples of a run are read when a time is needed."""
    return {run.folder: RunTimes(run) for run in runs if is_measured(run)}


def rows_by_gpu(runs: Sequence[Run], times: Mapping[Path, RunTimes] | None = None) -> list[GpuRows]:
    """Return the newest timed results of each model of GPU, the model with the newest run last.

    `times` are by run folder, if they are known already.
    """
    known = times_of(runs) if times is None else times
    by_gpu = group_by(newest([run for run in runs if is_measured(run)]), gpu_of)
    ordered = sorted(by_gpu.items(), key=lambda item: item[1][-1].info.started)
    return [
        GpuRows(gpu, tuple(chosen), tuple(_rows(chosen)), {run.folder: known[run.folder] for run in chosen})
        for gpu, chosen in ordered
    ]


def _rows(runs: Sequence[Run]) -> list[TimedRow]:
    """Return the rows of all runs; of a case that several suites have, the one with most samples."""
    best: dict[str, TimedRow] = {}
    for run in runs:
        limits: Mapping[str, CaseLimit] = read_limits(run.folder)
        for row in run.rows:
            known = best.get(row.case_id)
            if known is None or (row.samples or 0) >= (known.row.samples or 0):
                best[row.case_id] = TimedRow(row, run, limits.get(row.case_id))
    return list(best.values())


def by_setting(rows: Iterable[TimedRow]) -> list[list[TimedRow]]:
    """Return the rows that differ in variant only, setting by setting."""
    return list(group_by(rows, lambda item: (item.row.pattern, *factors(item.row).items())).values())

"""One side of a comparison: its runs, and the times of each case in each process."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparison import SideInfo
from shflbench.analysis.compare.estimates import Estimates, estimate_all
from shflbench.analysis.compare.rule import FEWEST_ROUNDS
from shflbench.core.model import Status, is_sentinel
from shflbench.errors import ResultsError
from shflbench.store.run_files import RESTORE, ROWS_FILE
from shflbench.store.samples import run_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Floats, Process
    from shflbench.store import Row, Run, RunInfo
    from shflbench.store.read import HeldSamples
    from shflbench.store.samples import KeptSamples

    Rounds = list[Floats]  # the times of each round of a process, in µs
    Counts = dict[int, dict[Process, Rounds]]  # iteration count → the processes that ran it

# Rows have seven digits of a time, and the median of an even number lies between two samples.
ROUNDING = 1e-5
WORST_FIRST = (
    *(Status.FAILED, Status.INCORRECT, Status.SKIPPED),
    *(Status.COMPILED, Status.VERIFIED, Status.TIMED),
)


@dataclass(frozen=True, slots=True)
class KernelTimes:
    """The times of one case or sentinel in all processes of a side."""

    counts: Mapping[int, Mapping[Process, Rounds]]
    launches: int  # per sample; 0 if the processes disagree

    def at(self, iterations: int) -> Estimates | None:
        """Return the estimates at an iteration count; None if it was not measured.

        A process that crashed before it had enough rounds is left out if others have enough.
        """
        measured = self.processes(iterations)
        return Estimates.of(measured, self.launches) if measured else None

    def processes(self, iterations: int) -> Mapping[Process, Rounds]:
        """Return the processes from which `at` estimates; none if this iteration count was not measured."""
        measured = self.counts.get(iterations, {})
        return {process: rounds for process, rounds in measured.items() if len(rounds) >= FEWEST_ROUNDS} or measured


@dataclass(frozen=True, slots=True)
class Side:
    """The combined runs of one side: their processes count as processes of one run."""

    runs: tuple[Run, ...]
    rows: Mapping[str, Row]  # by case: the row with the worst status, so that a failure in any run counts
    kernels: Mapping[str, KernelTimes] = field(repr=False)  # by case id or name of a sentinel; empty without samples
    name: str

    @classmethod
    def of(cls, runs: Sequence[Run], name: str = "") -> Side:
        """Read the samples of `runs`. ResultsError if a file is damaged or does not match the others."""
        rows: dict[str, Row] = {}
        for run in runs:
            for row in run.rows:
                rows[row.case_id] = min(rows.get(row.case_id, row), row, key=_rank)
        return cls(tuple(runs), rows, _kernels(runs), name or ", ".join(str(run.folder) for run in runs))

    @property
    def sentinels(self) -> str:
        """The version of the sentinels of all its runs; empty if a run has none or versions differ."""
        versions = {run.info.sentinel_version for run in self.runs}
        return versions.pop() if len(versions) == 1 else ""

    @property
    def contexts(self) -> int:
        """The number of CUDA contexts in which each of its processes measured kernels with small buffers."""
        return fewest_contexts(run.info for run in self.runs)

    def estimates(self, rows: Iterable[Row]) -> dict[str, Estimates]:
        """Return the estimates of the cases of `rows` that were measured, faster than one by one."""
        measured = {
            row.case_id: (processes, kernel.launches)
            for row in rows
            if (kernel := self.kernels.get(row.case_id)) and (processes := kernel.processes(row.iterations))
        }
        return dict(zip(measured, estimate_all(list(measured.values())), strict=True))

    def sentinel_estimates(self) -> dict[str, Estimates]:
        """Return the estimates of each sentinel that all processes timed."""
        sentinels = {
            name: estimates
            for name, kernel in self.kernels.items()
            if is_sentinel(name) and (estimates := kernel.at(max(kernel.counts)))
        }
        everywhere = max((set(estimates.processes) for estimates in sentinels.values()), key=len, default=set())
        return {name: estimates for name, estimates in sentinels.items() if set(estimates.processes) == everywhere}

    def info(self) -> SideInfo:
        """Return its description."""
        first = self.runs[0].info
        timed = [len(kernel.counts[max(kernel.counts)]) for name, kernel in self.kernels.items() if name in self.rows]
        return SideInfo(
            name=self.name,
            suite=first.suite.name,
            device=first.device.name if first.device else "",
            gpus=tuple(dict.fromkeys(run.info.device.uuid for run in self.runs if run.info.device)),
            driver=first.versions.driver or "",
            nvrtc=first.versions.nvrtc or "",
            started=min(run.info.started for run in self.runs),
            commit=first.versions.git_commit or "",
            runs=len(self.runs),
            processes=min(timed, default=0),
            most_processes=max(timed, default=0),
        )


def fewest_contexts(infos: Iterable[RunInfo]) -> int:
    """Return in how many CUDA contexts the processes of all these runs measured kernels with small buffers."""
    return min((info.settings.places or 1 for info in infos), default=1)


def _rank(row: Row) -> int:
    return WORST_FIRST.index(row.status)


def _kernels(runs: Sequence[Run]) -> dict[str, KernelTimes]:
    """Return the samples of all runs by case; empty if a run has none."""
    counts: dict[str, Counts] = {}
    launches: dict[str, set[int]] = {}
    for place, run in enumerate(runs):
        samples = None if run.held else run.kept_samples()
        if run.held:
            taken = _held_samples(run.held)
        elif samples:
            _refuse_cut(run, samples)
            taken = _split_samples(samples)
        else:
            return {}
        for name, iterations, process, several, rounds in taken:
            counts.setdefault(name, {}).setdefault(iterations, {})[place, process] = rounds
            launches.setdefault(name, set()).add(several)
        _refuse_foreign(run, place, counts)
    return {
        name: KernelTimes(times, min(launches[name]) if len(launches[name]) == 1 else 0)
        for name, times in counts.items()
    }


def _held_samples(held: HeldSamples) -> Iterator[tuple[str, int, int, int, Rounds]]:
    """Yield the same as `_split_samples`; other tools have neither iterations nor several launches per sample."""
    for name, processes in held.rounds.items():
        for process, rounds in processes.items():
            yield name, 1, process, 1, list(rounds)


def _split_samples(samples: KeptSamples) -> Iterator[tuple[str, int, int, int, Rounds]]:
    """Yield case id, iterations, process, launches per sample, and the times of each round."""
    if not len(samples.case):
        return
    keys = (samples.case, samples.iterations, samples.process)
    starts, within = run_starts(keys), run_starts((*keys, samples.round))
    times = samples.time_us
    rounds = [times[begin:end] for begin, end in pairwise([*within.tolist(), len(times)])]
    kinds = zip(*(column[starts].tolist() for column in (*keys, samples.launches)), strict=True)
    ends = pairwise([*np.searchsorted(within, starts).tolist(), len(rounds)])
    for (case, iterations, process, launches), (first, last) in zip(kinds, ends, strict=True):
        yield samples.cases[case], iterations, process, launches, rounds[first:last]


def _refuse_cut(run: Run, samples: KeptSamples) -> None:
    """Raise ResultsError if rows of a finished run are missing: only unfinished runs can be cut by a kill."""
    if run.info.finished is None:
        return
    if run.notes:  # of a finished run: that a line is half-written
        raise ResultsError(run.notes[0], RESTORE)
    known = {row.case_id for row in run.rows}
    for name in samples.cases:
        if name not in known and not is_sentinel(name):
            raise ResultsError(f"{run.folder / ROWS_FILE} is damaged: it has no row of {name}", RESTORE)


def _refuse_foreign(run: Run, place: int, counts: Mapping[str, Counts]) -> None:
    """Raise ResultsError if the samples of a run do not give the times of its rows."""
    for row in run.rows:
        if row.status is not Status.TIMED or row.time_us is None:
            continue
        processes = counts.get(row.case_id, {}).get(row.iterations, {})
        rounds = [times for key, taken in processes.items() if key[0] == place for times in taken]
        count = sum(map(len, rounds))
        if run.info.finished is None and row.samples is not None and count > row.samples:
            continue  # samples are written before their row, and a kill may have come between
        if row.samples is not None and count != row.samples:
            raise _foreign(run, f"{row.case_id} has {row.samples} samples by its row, but the file has {count}")
        time_us = _median_of_medians(rounds) if rounds else 0.0
        if row.rounds is not None and abs(time_us - row.time_us) > ROUNDING * row.time_us:
            raise _foreign(run, f"{row.case_id} took {row.time_us:g} µs by its row, but {time_us:g} µs by its samples")


def _median_of_medians(rounds: Rounds) -> float:
    size = len(rounds[0])
    if any(len(times) != size for times in rounds):
        return float(median(median(times.tolist()) for times in rounds))
    ordered = np.sort(np.concatenate(rounds).reshape(-1, size), axis=1)
    return float(median(((ordered[:, (size - 1) // 2] + ordered[:, size // 2]) / 2).tolist()))


def _foreign(run: Run, difference: str) -> ResultsError:
    return ResultsError(f"the samples in {run.folder} do not match its rows: {difference}", RESTORE)

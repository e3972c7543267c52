"""A batch of recorded runs, taken apart into what a run of the suite would have measured.

A process of the slowed suite has six blocks: the suite itself, and the same with 1, 2, 3, 5 and 10 % more iterations. A
block has its own cases, and of the sentinels the rounds in which one of those was measured: what a process that ran
nothing else would have. Cases go by the id that they have without the additional iterations.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.compare_power.recording import KERNEL, LAUNCHES, SAMPLES, Recording
from benchmarks.compare_power.suite import origin
from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.compare.pool import Pool
from shflbench.analysis.settings import one_pass
from shflbench.model import is_sentinel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from shflbench.analysis.compare.estimates import Floats, Process

    Rounds = dict[int, Floats]  # times in µs by the number of the round
    Block = dict[str, Rounds]  # by the id of case or sentinel


class Batch:
    """One recording. A process is (number of its run among those of all batches, its number in that run)."""

    def __init__(self, name: str, recording: Recording, first_run: int = 0) -> None:
        """Take a recording whose first run is the `first_run`-th of all batches together."""
        self.name = name
        self.recording = recording
        self.first_run = first_run

    @cached_property
    def _taken(self) -> Mapping[Process, Mapping[int, Rounds]]:
        """The times of every round of every kernel, by its place, of every process."""
        recording = self.recording
        found: dict[Process, dict[int, Rounds]] = defaultdict(lambda: defaultdict(dict))
        times = np.split(recording.times_us, np.cumsum(recording.bursts[SAMPLES])[:-1])
        for (run, process, kernel, number, *_), burst in zip(recording.bursts.T.tolist(), times, strict=True):
            found[self.first_run + run, process][kernel][number] = burst
        return found

    @cached_property
    def _origins(self) -> Sequence[tuple[int | None, str]]:
        """The percentage and the unslowed id of each kernel; None for a sentinel."""
        names = self.recording.kernels
        return [(None, name) if is_sentinel(name) else origin(name) for name in names]

    @cached_property
    def launches(self) -> Mapping[str, int]:
        """The launches that a sample of each case and sentinel brackets; 0 where samples disagree."""
        found: dict[str, set[int]] = defaultdict(set)
        pairs = self.recording.bursts[[KERNEL, LAUNCHES]]
        for kernel, launches in np.unique(pairs, axis=1).T.tolist():
            found[self._origins[kernel][1]].add(launches)
        return {name: min(several) if len(several) == 1 else 0 for name, several in found.items()}

    def processes(self, percent: int) -> list[Process]:
        """Return the processes that have the block of so many per cent more iterations."""
        own = {place for place, (each, _) in enumerate(self._origins) if each == percent}
        return [process for process, taken in self._taken.items() if own & taken.keys()]

    def block(self, process: Process, percent: int) -> Block:
        """Return the rounds of each case, and of each sentinel, in one block of one process."""
        taken = self._taken[process]
        block = {
            name: taken[place] for place, (own, name) in enumerate(self._origins) if own == percent and place in taken
        }
        measured = set().union(*block.values())
        for place, (own, name) in enumerate(self._origins):
            if own is None:
                block[name] = {number: times for number, times in taken[place].items() if number in measured}
        return block

    @cache  # noqa: B019  (a program has few batches, and each to its end)
    def pool(self, percent: int = 0) -> Pool:
        """Return what each process says of each case of a block, and of each sentinel."""
        blocks = {process: self.block(process, percent) for process in self.processes(percent)}
        names = next(iter(blocks.values()))
        estimates = {
            name: Estimates.of(
                {process: list(block[name].values()) for process, block in blocks.items()}, self.launches[name]
            )
            for name in names
        }
        sentinels = {name: estimates.pop(name) for name in names if is_sentinel(name)}
        passes = frozenset(row.case_id for row in self.recording.rows if one_pass(row))
        return Pool(estimates, sentinels, passes, ",".join(sorted(self.gpus)))

    @cache  # noqa: B019  (as above)
    def samples(self, percent: int = 0) -> Mapping[str, Mapping[Process, Floats]]:
        """Return all times of each case of a block, sorted, by process, in µs."""
        found: dict[str, dict[Process, NDArray[np.float64]]] = defaultdict(dict)
        for process in self.processes(percent):
            for name, rounds in self.block(process, percent).items():
                if not is_sentinel(name):
                    found[name][process] = np.sort(np.concatenate(list(rounds.values())))
        return found

    @property
    def gpus(self) -> set[str]:
        """The UUIDs of its GPUs."""
        return {run.device.uuid for run in self.recording.runs if run.device}

    @cached_property
    def times_us(self) -> Mapping[str, float]:
        """The mean of each case's times over the processes, unslowed."""
        return {name: float(own.values.mean()) for name, own in self.pool().cases.items()}


def load(paths: Sequence[Path]) -> list[Batch]:
    """Read the recordings at `paths`, in this order; ResultsError where one cannot be read."""
    batches: list[Batch] = []
    for path in paths:
        first = batches[-1].first_run + len(batches[-1].recording.runs) if batches else 0
        batches.append(Batch(path.stem, Recording.load(path), first))
    return batches

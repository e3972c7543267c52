"""A batch of recorded runs, split into the measurements of single runs of the suite.

A process of the slowed suite has six blocks: the suite itself, and the same with 1, 2, 3, 5 and 10% more iterations. A
block has its own cases, and the rounds of the sentinels in which one of its cases was measured: the samples of a
process that runs nothing else. Cases are named by their id without the additional iterations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.compare_power.recording import KERNEL, LAUNCHES, SAMPLES, Floats, Process, Recording
from benchmarks.compare_power.suite import origin
from shflbench.analysis.compare.estimates import Estimates
from shflbench.analysis.compare.pool import Pool, passes_and_chains
from shflbench.analysis.compare.sides import fewest_contexts
from shflbench.core.model import is_sentinel

Rounds = dict[int, Floats]  # times in µs by the number of the round
Block = dict[str, Rounds]  # by the id of case or sentinel


class Batch:
    """One recording. A process is (number of its run among those of all batches, its number in that run)."""

    def __init__(self, name: str, recording: Recording, first_run: int = 0) -> None:
        """Make a batch of a recording whose first run has the number `first_run` among the runs of all batches."""
        self.name = name
        self.recording = recording
        self.first_run = first_run

    @property
    def contexts(self) -> int:
        """The number of CUDA contexts in which each process measured."""
        return fewest_contexts(self.recording.runs)

    @cached_property
    def _taken(self) -> Mapping[Process, Mapping[int, Rounds]]:
        """The times of each round of each kernel, by its index, for each process."""
        recording = self.recording
        taken: dict[Process, dict[int, Rounds]] = defaultdict(lambda: defaultdict(dict))
        times = np.split(recording.times_us, np.cumsum(recording.bursts[SAMPLES])[:-1])
        for (run, process, kernel, number, *_), burst in zip(recording.bursts.T.tolist(), times, strict=True):
            taken[self.first_run + run, process][kernel][number] = burst
        return taken

    @cached_property
    def _origins(self) -> Sequence[tuple[int | None, str]]:
        """The percentage and the unslowed id of each kernel; None for a sentinel."""
        names = self.recording.kernels
        return [(None, name) if is_sentinel(name) else origin(name) for name in names]

    @cached_property
    def launches(self) -> Mapping[str, int]:
        """The launches per sample of each case and sentinel; 0 if samples disagree."""
        counts: dict[str, set[int]] = defaultdict(set)
        pairs = self.recording.bursts[[KERNEL, LAUNCHES]]
        for kernel, launches in np.unique(pairs, axis=1).T.tolist():
            counts[self._origins[kernel][1]].add(launches)
        return {name: min(several) if len(several) == 1 else 0 for name, several in counts.items()}

    def processes(self, percent: int) -> list[Process]:
        """Return the processes that have the block with `percent` more iterations."""
        kernels = {place for place, (more, _) in enumerate(self._origins) if more == percent}
        return [process for process, taken in self._taken.items() if kernels & taken.keys()]

    def block(self, process: Process, percent: int) -> Block:
        """Return the rounds of each case, and of each sentinel, in one block of one process."""
        taken = self._taken[process]
        block = {
            name: taken[place] for place, (more, name) in enumerate(self._origins) if more == percent and place in taken
        }
        measured = set().union(*block.values())
        for place, (more, name) in enumerate(self._origins):
            if more is None:
                block[name] = {number: times for number, times in taken[place].items() if number in measured}
        return block

    @cache  # noqa: B019  (a program has few batches, and keeps them)
    def pool(self, percent: int = 0) -> Pool:
        """Return the estimates of the cases of a block, and of the sentinels, in each process."""
        blocks = {process: self.block(process, percent) for process in self.processes(percent)}
        names = next(iter(blocks.values()))
        estimates = {
            name: Estimates.of(
                {process: list(block[name].values()) for process, block in blocks.items()}, self.launches[name]
            )
            for name in names
        }
        sentinels = {name: estimates.pop(name) for name in names if is_sentinel(name)}
        memory = passes_and_chains(self.recording.rows)
        return Pool(estimates, sentinels, *memory, ",".join(sorted(self.gpus)), self.contexts)

    @cache  # noqa: B019  (as above)
    def samples(self, percent: int = 0) -> Mapping[str, Mapping[Process, Floats]]:
        """Return all times of each case of a block, sorted, by process, in µs."""
        times: dict[str, dict[Process, NDArray[np.float64]]] = defaultdict(dict)
        for process in self.processes(percent):
            for name, rounds in self.block(process, percent).items():
                if not is_sentinel(name):
                    times[name][process] = np.sort(np.concatenate(list(rounds.values())))
        return times

    @property
    def gpus(self) -> set[str]:
        """The UUIDs of its GPUs."""
        return {run.device.uuid for run in self.recording.runs if run.device}

    @cached_property
    def times_us(self) -> Mapping[str, float]:
        """The mean of each case's times over the processes, without additional iterations."""
        return {name: float(estimates.values.mean()) for name, estimates in self.pool().cases.items()}


def load(paths: Sequence[Path]) -> list[Batch]:
    """Read the recordings at `paths`, in this order; ResultsError if one cannot be read."""
    batches: list[Batch] = []
    for path in paths:
        first = batches[-1].first_run + len(batches[-1].recording.runs) if batches else 0
        batches.append(Batch(path.stem, Recording.load(path), first))
    return batches

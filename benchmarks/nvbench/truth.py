"""The true slowdowns of a recording of NVBench, from all samples of all processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.nvbench.cases import MEMORY, SLOWER, UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.nvbench.recording import NVBenchProcess, NVBenchRecording


class TrueSlowdown(NamedTuple):
    """How much longer the slower copy of a case takes."""

    case_id: str
    time_us: float  # unchanged: the mean of the medians of its processes
    slowdown: float  # as a fraction
    range: float  # of the medians of the unchanged processes, as a fraction
    samples: int  # of both sides

    @property
    def waits_for_memory(self) -> bool:
        """Whether it waits for memory beyond an SM's own cache."""
        return self.case_id.startswith(MEMORY)


def slowdowns(recording: NVBenchRecording) -> list[TrueSlowdown]:
    """Return the true slowdown of each case."""
    base, new = (_times(recording.side(side)) for side in (UNCHANGED, SLOWER))
    results = []
    for case, processes in base.items():
        before, after = ([float(np.median(times)) for times in side] for side in (processes, new[case]))
        count = sum(map(len, (*processes, *new[case])))
        mean = float(np.mean(before))
        spread = (max(before) - min(before)) / mean
        results.append(TrueSlowdown(case, mean, float(np.mean(after)) / mean - 1, spread, count))
    return results


def _times(processes: Sequence[NVBenchProcess]) -> dict[str, list[np.ndarray[tuple[int], np.dtype[np.float64]]]]:
    taken = [process.times_us() for process in processes]
    return {case: [times[case] for times in taken] for case in taken[0]}

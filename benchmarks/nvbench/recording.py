"""Recordings in tests/data/nvbench: what NVBench wrote in several processes, of unchanged and truly slower kernels.

The JSON files and the sample times are kept bit by bit. The clock of each sample is rounded to `CLOCK_STEP_HZ`, because
the digits below it are noise of the GPU's nanosecond timer that does not compress. The file is a `.npz` for
`numpy.load`; the same content gives the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.compare_power.recording import DAMAGED
from shflbench.errors import ResultsError
from shflbench.store.readers.nvbench_samples import CLOCKS_TAG, TIMES_TAG

CLOCK_STEP_HZ = 500_000  # 0.025% of 1.98 GHz

UNCHANGED, SLOWER = "unchanged", "slower"
SIDES = (UNCHANGED, SLOWER)

# How many percent more iterations the slower copy of each unchanged kernel has, which has the same name; a pass over
# data cannot have more. From 5 to 360 µs on an H200. Most copies of the kernels of 50 µs or more take 2 or 3% longer:
# the smallest changes that the default threshold finds.
PERCENT_MORE = {
    "broadcast/shfl/f32/26x1024/100": 10,
    "neighbor/shfl/f32/26x1024/1000": 10,
    "scan/shfl/f32/26x1024/300": 3,
    "reduce/shfl/f64/26x1024/200": 5,
    "neighbor/smem/f32/26x1024/500": 2,
    "neighbor/shfl/f32/26x1024/4000": 2,
    "broadcast/shfl/f32/26x1024/4000": 2,
    "neighbor/smem-syncwarp/f32/26x1024/4000": 3,
    "reduce/redux/i32/26x1024/4000": 2,
    "transpose/smem-padded/f32/104x256/4000": 5,
    "neighbor/smem/f32/26x1024/4000": 1,
    "reduce/shfl/f32/26x1024/4000": 2,
    "bitonic-sort/shfl/i32/26x1024/1000": 10,
    # These wait for memory beyond an SM's own cache, as those of `benchmarks/compare_power/suite.py`.
    "memory-ladder/l2/i32/26x1024/400": 3,
    "struct-access/soa/f32/8192x256/1": 0,
    "moving-average/shfl/f32/8192x256/1": 0,
}
MEMORY = ("memory-ladder/l2/", "struct-access/", "moving-average/")  # how the names of the last ones begin


@dataclass(frozen=True, eq=False, slots=True)
class NVBenchProcess:
    """What one process of NVBench wrote: its JSON, and each file of samples by the name in the JSON."""

    side: str
    name: str  # of the JSON file
    text: str
    times: Mapping[str, NDArray[np.float32]]  # seconds
    clocks: Mapping[str, NDArray[np.float32]]  # Hz

    def times_us(self) -> dict[str, NDArray[np.float64]]:
        """Return the times of each benchmark in µs, in the order of their measurement."""
        return {case: self.times[name].astype(np.float64) * 1e6 for case, name in self._named(TIMES_TAG)}

    def clocks_mhz(self) -> dict[str, NDArray[np.float64]]:
        """Return the SM clock at each sample of each benchmark in MHz."""
        return {case: self.clocks[name].astype(np.float64) / 1e6 for case, name in self._named(CLOCKS_TAG)}

    def _named(self, tag: str) -> Iterator[tuple[str, str]]:
        """Yield the name of each benchmark with that of its file."""
        for bench in json.loads(self.text)["benchmarks"]:
            for state in bench["states"]:
                names = summary_values(state, "filename")
                if tag in names:
                    yield bench["name"], names[tag]


def summary_values(state: Mapping[str, Any], item: str) -> dict[str, str]:
    """Return the value of this item of each summary of a state that has it, by the summary's tag."""
    return {
        summary["tag"]: data["value"]
        for summary in state["summaries"] or ()
        for data in summary.get("data") or ()
        if data["name"] == item
    }


@dataclass(frozen=True, eq=False, slots=True)
class NVBenchRecording:
    """All processes of both sides, and facts about the machine and the software."""

    facts: Mapping[str, Any]
    processes: tuple[NVBenchProcess, ...]

    def side(self, side: str) -> tuple[NVBenchProcess, ...]:
        """Return the processes of a side in the order of their measurement."""
        return tuple(process for process in self.processes if process.side == side)

    @classmethod
    def load(cls, path: Path) -> NVBenchRecording:
        """Read a packed file; ResultsError if it cannot be read."""
        try:
            with np.load(io.BytesIO(path.read_bytes())) as arrays:
                content = json.loads(arrays["facts"].tobytes())
                index = content["processes"]
                times, clocks = (
                    _unpacked(kind, arrays, [size for each in index for size in each[kind].values()])
                    for kind in ("times", "clocks")
                )
                values = arrays["values"]
        except (OSError, KeyError, ValueError, IndexError, EOFError, zipfile.BadZipFile) as error:
            raise ResultsError(f"{path} cannot be read as a recording of NVBench: {error}", DAMAGED) from error
        return cls(
            content["facts"],
            tuple(
                NVBenchProcess(
                    each["side"],
                    each["name"],
                    each["text"],
                    {name: values[next(times)] for name in each["times"]},
                    {name: (next(clocks) * CLOCK_STEP_HZ).astype(np.float32) for name in each["clocks"]},
                )
                for each in index
            ),
        )


def _unpacked(kind: str, arrays: Mapping[str, Any], sizes: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    above = arrays[f"{kind}_low"].astype(np.int64) + (arrays[f"{kind}_high"].astype(np.int64) << 8)
    numbers = above + np.repeat(arrays[f"{kind}_least"], sizes)
    return iter(np.split(numbers, np.cumsum(sizes)[:-1]) if len(sizes) else [])


def percent_of(case_id: str) -> int:
    """Return how many percent more iterations the slower copy of an unchanged case has; KeyError if there is none."""
    return PERCENT_MORE["/".join(case_id.split("/")[:5])]


class TrueSlowdown(NamedTuple):
    """How much longer the slower copy of a case takes."""

    case_id: str
    time_us: float  # unchanged: the mean of the medians of its processes
    slowdown: float  # as a fraction

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
        mean = float(np.mean(before))
        results.append(TrueSlowdown(case, mean, float(np.mean(after)) / mean - 1))
    return results


def _times(processes: Sequence[NVBenchProcess]) -> dict[str, list[NDArray[np.float64]]]:
    taken = [process.times_us() for process in processes]
    return {case: [times[case] for times in taken] for case in taken[0]}

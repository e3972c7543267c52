"""A recording: what NVBench wrote in several processes, in one small file.

The JSON files and the sample times are kept bit by bit. The clock of each sample is rounded to `CLOCK_STEP_HZ`, because
the digits below it are noise of the GPU's nanosecond timer that does not compress. The file is a `.npz` for
`numpy.load`; the same content gives the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compare_power.recording import DAMAGED, zipped
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

# Tags of the summaries that name the files of samples: nvbench/json_printer.cu, `do_process_bulk_data_float64`.
TIMES_TAG, CLOCKS_TAG = "nv/json/bin:nv/cold/sample_times", "nv/json/freqs-bin:nv/cold/sample_freqs"
CLOCK_STEP_HZ = 500_000  # 0.025% of 1.98 GHz
FACTS = "facts.json"


@dataclass(frozen=True, eq=False, slots=True)
class NVBenchProcess:
    """What one process of NVBench wrote: its JSON, and each file of samples by the name in the JSON."""

    side: str
    name: str  # of the JSON file
    text: str
    times: Mapping[str, NDArray[np.float32]]  # seconds
    clocks: Mapping[str, NDArray[np.float32]]  # Hz

    @classmethod
    def read(cls, path: Path) -> NVBenchProcess:
        """Read the files of a process; ResultsError if one is missing or damaged."""
        try:
            text = path.read_text(encoding="utf-8")
            times, clocks = (
                {name: np.fromfile(path.parent / name, "<f4") for name in sample_files(text, tag)}
                for tag in (TIMES_TAG, CLOCKS_TAG)
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ResultsError(f"{path} cannot be read: {error}", "record the process again") from error
        return cls(path.parent.name, path.name, text, times, clocks)

    def write_into(self, folder: Path) -> None:
        """Write the files into a folder, as NVBench did."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.name).write_text(self.text, encoding="utf-8")
        for name, values in chain(self.times.items(), self.clocks.items()):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(values.astype("<f4").tobytes())

    def times_us(self) -> dict[str, NDArray[np.float64]]:
        """Return the times of each benchmark in µs, in the order of their measurement."""
        return {case: self.times[name].astype(np.float64) * 1e6 for case, name in self._named(TIMES_TAG)}

    def clocks_mhz(self) -> dict[str, NDArray[np.float64]]:
        """Return the SM clock at each sample of each benchmark in MHz."""
        return {case: self.clocks[name].astype(np.float64) / 1e6 for case, name in self._named(CLOCKS_TAG)}

    def _named(self, tag: str) -> Iterator[tuple[str, str]]:
        """Yield the name of each benchmark with that of its file."""
        for bench in json.loads(self.text)["benchmarks"]:
            for name in _files(bench, tag):
                yield bench["name"], name


def sample_files(text: str, tag: str) -> list[str]:
    """Return the names of the sample files in a JSON of NVBench; ValueError if one is not below the JSON's folder."""
    names = [name for bench in json.loads(text)["benchmarks"] for name in _files(bench, tag)]
    for name in names:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{name} is outside the folder")
    return names


def _files(bench: Mapping[str, Any], tag: str) -> Iterator[str]:
    for state in bench["states"]:
        for summary in state["summaries"] or ():
            if summary["tag"] == tag:
                yield from (item["value"] for item in summary["data"] if item["name"] == "filename")


@dataclass(frozen=True, eq=False, slots=True)
class NVBenchRecording:
    """All processes of both sides, and facts about the machine and the software."""

    facts: Mapping[str, Any]
    processes: tuple[NVBenchProcess, ...]

    @classmethod
    def read(cls, folder: Path) -> NVBenchRecording:
        """Read a recorded folder, which has a folder per side; ResultsError if a file is missing or damaged."""
        paths = sorted(folder.glob("*/*.json"), key=lambda path: (path.parent.name, len(path.name), path.name))
        if not paths:
            raise ResultsError(f"{folder} has no JSON file of NVBench", "record it again")
        try:
            facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ResultsError(f"{folder} is not a recording: {error}", "record it again") from error
        return cls(facts, tuple(map(NVBenchProcess.read, paths)))

    def side(self, side: str) -> tuple[NVBenchProcess, ...]:
        """Return the processes of a side in the order of their measurement."""
        return tuple(process for process in self.processes if process.side == side)

    def encode(self) -> bytes:
        """Return the content of the packed file."""
        index = [
            {
                "side": process.side,
                "name": process.name,
                "text": process.text,
                "times": {name: len(values) for name, values in process.times.items()},
                "clocks": {name: len(values) for name, values in process.clocks.items()},
            }
            for process in self.processes
        ]
        text = json.dumps({"facts": self.facts, "processes": index}, ensure_ascii=False)
        values, places = np.unique(_joined(process.times for process in self.processes), return_inverse=True)
        steps = np.rint(_joined(process.clocks for process in self.processes) / CLOCK_STEP_HZ).astype(np.int64)
        sizes = [len(each) for process in self.processes for each in process.times.values()]
        clock_sizes = [len(each) for process in self.processes for each in process.clocks.values()]
        return zipped(
            {
                "facts": np.frombuffer(text.encode(), np.uint8),
                "values": values.astype(np.float32),
                **_packed("times", places.astype(np.int64), sizes),
                **_packed("clocks", steps, clock_sizes),
            }
        )

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

    def write(self, folder: Path) -> None:
        """Write all files as NVBench did, apart from the rounding of the clocks."""
        for process in self.processes:
            process.write_into(folder / process.side)
        (folder / FACTS).write_text(json.dumps(self.facts, indent=1) + "\n", encoding="utf-8")


def _joined(groups: Iterable[Mapping[str, NDArray[np.float32]]]) -> NDArray[np.float32]:
    arrays = [values for group in groups for values in group.values()]
    return np.concatenate(arrays) if arrays else np.empty(0, np.float32)


def _packed(kind: str, numbers: NDArray[np.int64], sizes: Sequence[int]) -> dict[str, NDArray[np.generic]]:
    """Return the smallest number of each file, and the low and high bytes of the distances from it."""
    parts = np.split(numbers, np.cumsum(sizes)[:-1]) if sizes else []
    least = np.array([part.min(initial=np.iinfo(np.int64).max) for part in parts], np.int64)
    above = numbers - np.repeat(least, sizes)
    highest = int(above.max(initial=0))
    if highest >= 2**16:
        raise ResultsError(f"the {kind} of a case have {highest} different steps", "they cannot be packed")
    low, high = (above & 255).astype(np.uint8), (above >> 8).astype(np.uint8)
    return {f"{kind}_least": least, f"{kind}_low": low, f"{kind}_high": high}


def _unpacked(kind: str, arrays: Mapping[str, Any], sizes: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    above = arrays[f"{kind}_low"].astype(np.int64) + (arrays[f"{kind}_high"].astype(np.int64) << 8)
    numbers = above + np.repeat(arrays[f"{kind}_least"], sizes)
    return iter(np.split(numbers, np.cumsum(sizes)[:-1]) if len(sizes) else [])

"""Recordings of NVBench as files again, as NVBench wrote them, apart from the rounding of the clocks."""

from itertools import chain
from pathlib import Path

from benchmarks.nvbench.recording import NVBenchProcess, NVBenchRecording


def write_process(process: NVBenchProcess, folder: Path) -> None:
    """Write the JSON of a process, and its binary samples beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / process.name).write_text(process.text, encoding="utf-8")
    for name, values in chain(process.times.items(), process.clocks.items()):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(values.astype("<f4").tobytes())


def write_sides(recording: NVBenchRecording, folder: Path) -> None:
    """Write all processes, those of a side into a folder of their own."""
    for process in recording.processes:
        write_process(process, folder / process.side)

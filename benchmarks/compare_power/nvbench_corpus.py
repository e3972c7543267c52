"""Recordings of NVBench itself, as a part of the corpus."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.compare_power.plain import COMPRESSED, compressed
from benchmarks.nvbench.cases import SIDES, SLOWER, UNCHANGED, percent_of
from benchmarks.nvbench.recording import NVBenchRecording
from benchmarks.nvbench.truth import slowdowns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.nvbench.recording import NVBenchProcess

NVBENCH_RECORDED = Path(__file__).parents[2] / "tests" / "data" / "nvbench"
COLUMNS = ("case", "process", "sm_clock_mhz", "time_us")


class NVBenchBatch(NamedTuple):
    """A recording of NVBench: its line in `batches.csv`, its lines in `slowdowns.csv`, and its files."""

    row: tuple[object, ...]
    slowdowns: Sequence[tuple[object, ...]]
    files: Iterator[tuple[str, bytes]]


def nvbench_batch(path: Path) -> NVBenchBatch:
    """Return what the corpus has of a recording; ResultsError if it cannot be read."""
    recording = NVBenchRecording.load(path)
    name, facts = f"nvbench-{path.stem}", recording.facts
    versions = facts["versions"]
    row = (
        *(name, "NVBench", facts["cuda_bench"], facts["gpu"], facts["uuid"]),
        *(versions["driver"] or "", versions["nvrtc"] or "", facts["started"], 1, len(recording.side(UNCHANGED))),
    )
    rows: list[tuple[object, ...]] = []
    for side in SIDES:
        for each in slowdowns(recording):
            percent, truth = (percent_of(each.case_id), each.slowdown) if side == SLOWER else (0, 0.0)
            facts_of_case = f"{each.time_us:.4f}", f"{truth:.6f}", int(each.waits_for_memory)
            rows.append((name, each.case_id, side, percent, *facts_of_case, 1))
    return NVBenchBatch(row, rows, _files(name, recording))


def _files(name: str, recording: NVBenchRecording) -> Iterator[tuple[str, bytes]]:
    for process in recording.processes:
        label = Path(process.name).stem
        yield f"{name}/{process.side}/{label}{COMPRESSED}", compressed(_text(label, process))


def _text(label: str, process: NVBenchProcess) -> str:
    """Return the content of a file, in the order of the measurement; a clock is empty if NVBench wrote none."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    clocks = process.clocks_mhz()
    for case, times in process.times_us().items():
        shown = [f"{clock:g}" for clock in clocks.get(case, ())] or [""] * len(times)
        writer.writerows((case, label, clock, f"{time:.6g}") for clock, time in zip(shown, times, strict=True))
    return file.getvalue()

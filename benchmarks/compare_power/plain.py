"""Recorded processes as plain CSV files, which any program can read: the input of every rule that is scored.

A side is a folder with a file per process. A file has a line per sample with the columns `case`, `process`, `round` and
`time_us`, in the order of the rounds; `shflbench compare` reads it as well.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks.compare_power.batch import Batch, Block
from benchmarks.compare_power.recording import Process
from shflbench.core.model import is_sentinel

COLUMNS = ("case", "process", "round", "time_us")
UNCOMPRESSED, COMPRESSED = ".csv", ".csv.gz"


def write_side(
    folder: Path, batch: Batch, processes: Sequence[Process], percent: int, clock_mhz: float | None = None
) -> Path:
    """Write a folder with a file per process: its block with `percent` more iterations, without the sentinels.

    The recordings do not have the clock of each sample; `clock_mhz` adds a column that says it was this one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for process in processes:
        content = text(process, cases(batch.block(process, percent)), clock_mhz)
        (folder / file_name(process, UNCOMPRESSED)).write_text(content, encoding="utf-8")
    return folder


def file_name(process: Process, ending: str) -> str:
    """Return the name of the file of a process."""
    return f"process-{_label(process)}{ending}"


def _label(process: Process) -> str:
    """Return the name of a process: the numbers of its run and in its run."""
    run, number = process
    return f"{run}-{number:02}"


def cases(block: Block) -> Block:
    """Return the cases of a block."""
    return {name: rounds for name, rounds in block.items() if not is_sentinel(name)}


def sentinels(block: Block) -> Block:
    """Return the sentinels of a block, named without the prefix that is reserved for them."""
    return {name.partition("/")[2]: rounds for name, rounds in block.items() if is_sentinel(name)}


def text(process: Process, block: Block, clock_mhz: float | None = None) -> str:
    """Return the content of a file, with a column of clocks if there is one."""
    name, clock = (("sm_clock_mhz",), (f"{clock_mhz:g}",)) if clock_mhz else ((), ())
    return csv_text((*COLUMNS, *name), ((*line, *clock) for line in _lines(_label(process), block)))


def _lines(process: str, block: Block) -> Iterator[tuple[str, str, int, str]]:
    for case, rounds in block.items():
        for number, times in sorted(rounds.items()):
            for time_us in times.tolist():
                yield case, process, number, repr(time_us)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV file."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    return file.getvalue()

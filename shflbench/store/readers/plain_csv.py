"""Read a plain CSV file: a line for each sample, with the columns `case`, `process` and `time_us`."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.numerals import decimal_number
from shflbench.errors import ResultsError
from shflbench.store.readers.blocks import split_into_blocks
from shflbench.store.readers.content import MOST_PROCESSES
from shflbench.store.readers.csv_lines import CORRECT, read_lines, wrong_line
from shflbench.store.readers.names import MOST_CASES, check_name, shorten
from shflbench.store.readers.recording import RecordedProcess
from shflbench.store.readers.times import is_clock, is_time, parse_started, timed_case

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from shflbench.store.readers.recording import RecordedCase

REQUIRED = ("case", "process", "time_us")
OPTIONAL = ("round", "sm_clock_mhz", "started")


@dataclass(slots=True)
class _CaseLines:
    """The samples of one case in one process, in the order of the file."""

    times_us: list[float] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)  # of each sample; empty without the column `round`
    labels: dict[str, int] = field(default_factory=dict)  # text in the column `round` → number of the round
    clocks_mhz: list[float] = field(default_factory=list)

    def case(self) -> RecordedCase:
        """Return the case: its rounds as given, or blocks where the file does not have the column."""
        times = np.array(self.times_us)
        clocks = np.array(self.clocks_mhz) if len(self.clocks_mhz) == len(times) else None
        clock = None if clocks is None else float(np.median(clocks))
        if not self.rounds:
            return timed_case(split_into_blocks(times, times / 1e6), clocks, clock)
        order = np.argsort(self.rounds, kind="stable")
        bounds = np.cumsum(np.bincount(self.rounds))[:-1]
        rounds = tuple(np.split(times[order], bounds))
        return timed_case(rounds, None if clocks is None else clocks[order], clock)


@dataclass(slots=True)
class _ProcessLines:
    """The lines of one process."""

    started: datetime | None
    cases: dict[str, _CaseLines] = field(default_factory=dict)


def is_plain_csv(head: str) -> bool:
    """Return whether the start of a text is the header of such a file."""
    return {"case", "time_us"} <= {cell.strip().strip('"') for cell in head.partition("\n")[0].split(",")}


def read_plain_csv(text: str, path: Path) -> list[RecordedProcess]:
    """Return the processes in a file; ResultsError, which names the line, if it is not as documented."""
    lines = read_lines(text, path)
    _, names = next(lines, (1, []))
    names = [name.strip() for name in names]
    _check_columns(names, path)
    processes: dict[str, _ProcessLines] = {}
    for number, cells in lines:
        if len(cells) != len(names):
            raise wrong_line(path, number, f"{len(cells)} values for {len(names)} columns")
        _add(processes, dict(zip(names, map(str.strip, cells), strict=True)), path, number)
    if not processes:
        raise ResultsError(f"{path} has no samples", CORRECT)
    digest = sha256(text.encode()).hexdigest()
    return [
        RecordedProcess(
            file=path,
            sha256=digest,
            cases={name: lines.case() for name, lines in process.cases.items()},
            started=process.started,
        )
        for process in processes.values()
    ]


def _check_columns(names: Sequence[str], path: Path) -> None:
    for name in REQUIRED:
        if name not in names:
            raise wrong_line(path, 1, f"the column {name} is missing")
    for place, name in enumerate(names):
        if name not in {*REQUIRED, *OPTIONAL}:
            allowed = ", ".join((*REQUIRED, *OPTIONAL))
            raise wrong_line(path, 1, f"unknown column `{shorten(name)}`; columns: {allowed}")
        if name in names[:place]:
            raise wrong_line(path, 1, f"the column {name} is there twice")


def _add(processes: dict[str, _ProcessLines], cells: dict[str, str], path: Path, number: int) -> None:
    """Add one line to its process and case."""
    started = _started(cells.get("started", ""), path, number)
    process = processes.setdefault(cells["process"], _ProcessLines(started))
    if process.started != started:
        raise wrong_line(
            path, number, f"another start of the process `{shorten(cells['process'])}` than in an earlier line"
        )
    case = process.cases.get(cells["case"])
    if case is None:
        case = process.cases[check_name(cells["case"], path, f"line {number}")] = _CaseLines()
    if len(processes) > MOST_PROCESSES:
        raise wrong_line(path, number, f"more than {MOST_PROCESSES} processes")
    if len(process.cases) > MOST_CASES:
        raise wrong_line(path, number, f"more than {MOST_CASES:,} cases")
    time_us = _number(cells["time_us"])
    if not is_time(time_us):
        raise wrong_line(path, number, f"time_us is '{shorten(cells['time_us'])}', not a time in µs")
    case.times_us.append(time_us)
    if "round" in cells:
        case.rounds.append(case.labels.setdefault(cells["round"], len(case.labels)))
    if clock := cells.get("sm_clock_mhz"):
        case.clocks_mhz.append(_number(clock))
        if not is_clock(case.clocks_mhz[-1]):
            raise wrong_line(path, number, f"sm_clock_mhz is '{shorten(clock)}', not a clock in MHz")


def _started(text: str, path: Path, number: int) -> datetime | None:
    started = parse_started(text) if text else None
    if text and started is None:
        raise wrong_line(path, number, f"started is '{shorten(text)}', not a time such as 2026-11-20T08:00:10Z")
    return started


def _number(text: str) -> float:
    """Return a number; NaN, which no check accepts, for other text."""
    try:
        return decimal_number(text)
    except ValueError:
        return float("nan")

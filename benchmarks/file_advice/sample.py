"""The files of the sample, the advice on them, and what readers say of each suggestion."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.with_suffix(".md")
NO_SUGGESTION = {"needed", "not enough evidence"}  # needs of a barrier


@dataclass(frozen=True, slots=True)
class AdvisedFile:
    """One file of the sample."""

    repository: str  # owner/name
    commit: str
    path: str

    @property
    def key(self) -> str:
        """The name of the file in all tables."""
        return f"{self.repository}/{self.path}"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One line of the advice that proposes a change."""

    file: str
    kernel: str
    line: str  # of the barrier, or of the load
    what: str  # the shuffle, or what is enough instead of the barrier
    is_fixed: bool  # holds in all launches with blocks of the shape, not only in those that ran


@dataclass(frozen=True, slots=True)
class Reading:
    """What two readers say of one suggestion."""

    file: str
    kernel: str
    line: str
    what: str
    first: str  # right or wrong, by the first reader
    second: str  # likewise by the second one, who did not see the first answer
    decided: str  # where they differ, by a third look
    reason: str


@dataclass(frozen=True, slots=True)
class Measured:
    """The speed of a kernel with the barriers of the advice, relative to the file as it is."""

    file: str
    kernel: str
    speedup: float
    low: float  # of the interval
    high: float


def sample() -> list[AdvisedFile]:
    """Return the files of the sample."""
    return [AdvisedFile(*row) for row in rows(HERE / "sample.tsv")]


def results(name: str) -> list[dict[str, Any]]:
    """Return the records that `runs.run` wrote to a file of this folder."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def readings() -> list[Reading]:
    """Return what readers say."""
    return [Reading(*row) for row in rows(HERE / "readings.tsv")]


def measured() -> list[Measured]:
    """Return what `advise --measure` printed."""
    every = rows(HERE / "measured.tsv")
    return [Measured(file, kernel, float(ratio), float(low), float(high)) for file, kernel, ratio, low, high in every]


def suggestions(record: dict[str, Any]) -> list[Suggestion]:
    """Return the suggestions of one record, exchanges first."""
    found = []
    for kernel in record["kernels"]:
        name, is_fixed = kernel["kernel"], kernel["same_in_all_launches_of_these_blocks"]
        found += [
            Suggestion(record["file"], name, f"{one['store']} → {one['load']}", one["instead"], is_fixed=is_fixed)
            for one in kernel["exchanges"]
            if one["instead"]
        ]
        found += [
            Suggestion(record["file"], name, one["line"], one["need"], is_fixed=False)
            for one in kernel["barriers"]
            if one["need"] not in NO_SUGGESTION
        ]
    return found


def rows(path: Path) -> list[list[str]]:
    """Return the rows of a table without its header."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]

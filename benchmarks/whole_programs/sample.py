"""The files of the sample, the results of the first run, and what readers say of them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.with_suffix(".md")
WRONG = "wrong"
LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """One file of the sample."""

    repository: str  # owner/name
    commit: str
    path: str

    @property
    def key(self) -> str:
        """The name of the file in all tables."""
        return f"{self.repository}/{self.path}"


@dataclass(frozen=True, slots=True)
class KernelVerdict:
    """The verdict on one kernel."""

    name: str
    verdict: str


@dataclass(frozen=True, slots=True)
class FileResult:
    """What the first run said of a file."""

    file: str  # `ProgramFile.key`
    verdict: str  # the worst one of the kernels
    seconds: float
    kernels: tuple[KernelVerdict, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What two readers say of the verdict on one kernel; `kernel` is empty for the whole file."""

    file: str
    kernel: str
    first: str  # right, wrong or left out, by the first reader
    second: str  # likewise by the second one, who did not see the first answer
    decided: str  # where they differ, by a third look
    reason: str


def sample() -> list[ProgramFile]:
    """Return the files of the sample."""
    return [ProgramFile(*row) for row in _rows("sample.tsv")]


def results() -> list[FileResult]:
    """Return the results of the first run."""
    lines = (HERE / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return [_result(json.loads(line)) for line in lines]


def readings() -> list[Reading]:
    """Return what readers say."""
    return [Reading(*row) for row in _rows("readings.tsv")]


def _result(record: dict[str, object]) -> FileResult:
    kernels = record["kernels"]
    assert isinstance(kernels, list)  # noqa: S101  (the form of the record)
    verdicts = tuple(KernelVerdict(str(name), str(verdict)) for name, verdict in kernels)
    return FileResult(str(record["file"]), str(record["verdict"]), float(str(record["seconds"])), verdicts)


def _rows(name: str) -> list[list[str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]

"""The files of a sample, the results of the first run, and what readers say of them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
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


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: a folder beside this file with its tables, and the title of its page."""

    name: str
    title: str
    page: Path

    @property
    def rule(self) -> str:
        """How its files were chosen, and on what machine they were checked."""
        return (self._folder / "rule.txt").read_text(encoding="utf-8").strip()

    def files(self) -> list[ProgramFile]:
        """Return its files."""
        return [ProgramFile(*row) for row in _rows(self._folder / "sample.tsv")]

    def results(self) -> list[FileResult]:
        """Return the results of the first run; none before it."""
        path = self._folder / "results.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [_result(json.loads(line)) for line in lines]

    def readings(self) -> list[Reading]:
        """Return what readers say; nothing before they have read."""
        path = self._folder / "readings.tsv"
        return [Reading(*row) for row in _rows(path)] if path.exists() else []

    @property
    def _folder(self) -> Path:
        return HERE / self.name


SAMPLES = {
    sample.name: sample
    for sample in (
        Sample("programs", "`check` on whole programs", HERE.with_suffix(".md")),
        Sample("extensions", "`check` on extensions, libraries and further programs", HERE.with_name("extensions.md")),
        Sample(
            "unseen", "`check` on a further sample of extensions, libraries and programs", HERE.with_name("unseen.md")
        ),
        Sample(
            "further", "`check` on a third sample of extensions, libraries and programs", HERE.with_name("further.md")
        ),
    )
}


def _result(record: dict[str, object]) -> FileResult:
    kernels = record["kernels"]
    assert isinstance(kernels, list)  # noqa: S101  (the form of the record)
    verdicts = tuple(KernelVerdict(str(name), str(verdict)) for name, verdict in kernels)
    return FileResult(str(record["file"]), str(record["verdict"]), float(str(record["seconds"])), verdicts)


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]

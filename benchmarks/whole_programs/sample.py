"""The files of a sample, the results of the first run, and what readers say of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.common.records import JsonLines, PublicFile, read_rows

HERE = Path(__file__).parent
WRONG = "wrong"
LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class FileResult:
    """What the first run said of a file."""

    file: str  # `PublicFile.key`
    verdict: str  # the worst one of the kernels
    seconds: float
    kernels: tuple[tuple[str, str], ...]  # name and verdict


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
        return (HERE / self.name / "rule.txt").read_text(encoding="utf-8").strip()

    def files(self) -> list[PublicFile]:
        """Return its files."""
        return read_rows(HERE / self.name / "sample.tsv", PublicFile)

    def results(self) -> list[FileResult]:
        """Return the results of the first run."""
        return msgspec.convert(JsonLines(HERE / self.name / "results.jsonl").read(), list[FileResult])

    def readings(self) -> list[Reading]:
        """Return what readers say."""
        return read_rows(HERE / self.name / "readings.tsv", Reading)


_PROGRAMS = "extensions, libraries and programs"
SAMPLES = {
    sample.name: sample
    for sample in (
        Sample("programs", "`check` on whole programs", HERE.with_suffix(".md")),
        Sample("extensions", "`check` on extensions, libraries and further programs", HERE.with_name("extensions.md")),
        Sample("unseen", f"`check` on a further sample of {_PROGRAMS}", HERE.with_name("unseen.md")),
        Sample("further", f"`check` on a third sample of {_PROGRAMS}", HERE.with_name("further.md")),
    )
}

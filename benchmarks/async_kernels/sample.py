"""The kernels of the list, with the verdicts that a reader expects, and the results of two runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.records import JsonLines, read_table

HERE = Path(__file__).parent
PAGE = HERE.with_suffix(".md")
SOUND = "sound"
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class PublicKernel:
    """One kernel of the list."""

    repository: str  # owner/name
    commit: str
    path: str
    lines: str  # of a page with code, those of the code: `8-77`; empty for a whole file
    kernel: str
    mechanism: str
    launch: str  # `host` or `given`
    options: str  # of `check`, as a shell takes them
    license: str
    verdict: str  # that a reader expects: sound, doubtful, broken or refused
    reason: str

    @property
    def key(self) -> str:
        """The name of the kernel in all tables."""
        return f"{self.repository}/{self.path}:{self.kernel}"

    def agrees(self, result: KernelResult) -> bool:
        """Whether `check` came to the verdict of the reader."""
        if self.verdict == SOUND:
            return result.verdict in {"clean", "schedule-dependent"}
        if self.verdict == REFUSED:
            return result.verdict == "not checked" and ("tensor" in result.sentence or "wgmma" in result.sentence)
        return result.verdict == self.verdict


@dataclass(frozen=True, slots=True)
class Note:
    """What a second reading says of a kernel on which the reader and `check` differed in one of the runs."""

    verdict: str  # of the second reading
    text: str


@dataclass(frozen=True, slots=True)
class KernelResult:
    """What one run said of a kernel."""

    verdict: str
    sentence: str
    cpu_s: float  # of all processes
    memory_mb: float  # of the largest process
    own_cpu_s: float | None = None  # without the processes of compilers; None in runs that did not measure it
    own_memory_mb: float | None = None


def sample() -> list[PublicKernel]:
    """Return the kernels of the list."""
    return [PublicKernel(*row.values()) for row in read_table(HERE / "sample.tsv")]


def notes() -> dict[str, Note]:
    """Return what the second reading says, by key."""
    rows = (row.values() for row in read_table(HERE / "notes.tsv"))
    return {key: Note(verdict, text) for key, verdict, text in rows}


def results(name: str) -> dict[str, KernelResult]:
    """Return the results of a run, by key."""
    return {record.pop("key"): KernelResult(**record) for record in JsonLines(HERE / name).read()}

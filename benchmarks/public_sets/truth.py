"""The truth about each file, sound or which kind of bug it has, and what a verdict of `check` is worth.

`truth/SET.tsv` is the table. Where two readers wrote one each, it is what they agreed on (`truth/differences.md`).
The truth of Indigo follows from the names of its files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from benchmarks.common.records import read_table as rows_of
from benchmarks.public_sets.job import JobResult
from shflbench.errors import ResultsError

TABLES = Path(__file__).with_name("truth")
# How the reason of a mild bug begins: one that the manual forbids and that changes no result.
MILD = (
    "equal values:",  # written to one address
    "uninitialized, in no output:",
    "skipped by ending:",  # a barrier at which others wait: GPUs count threads that have ended as arrived
)
# From the best to the worst: the verdict on a file is the worst of its kernels. One that was not checked says nothing
# about the file, unless another kernel is broken.
_ORDER = (
    "clean", "schedule-dependent", "doubtful", "needs arguments", "skipped", "not compiled", "not checked", "broken",
)  # fmt: skip


class Kind(StrEnum):
    """What is wrong with a file."""

    SOUND = "sound"
    RACE = "race"
    DIVERGENCE = "divergence"
    OUT_OF_BOUNDS = "out-of-bounds"
    ASSERT = "assert"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known about one file."""

    kind: Kind
    reason: str

    @property
    def sound(self) -> bool:
        """Whether there is no bug."""
        return self.kind is Kind.SOUND

    @property
    def mild(self) -> bool:
        """Whether the only bug changes no result."""
        return not self.sound and self.reason.startswith(MILD)


# What the bugs in the names of Indigo's files are; verified by comparing each of the 410 files that name one with the
# file of the same name without it. All differ in these lines only.
_INDIGO = {
    "atomicBug": Truth(Kind.RACE, "atomicAdd, atomicMax or atomicMin replaced by a plain read, operation and write"),
    "guardBug": Truth(Kind.RACE, "a plain read of the cell that other threads update by atomics"),
    "raceBug": Truth(Kind.RACE, "atomic reads and writes of a union-find forest replaced by plain ones"),
    "syncBug": Truth(Kind.RACE, "no __syncthreads between the stores to shared memory and the tree reduction"),
    "boundsBug": Truth(Kind.OUT_OF_BOUNDS, "no check that the vertex exists, or that it has a neighbor"),
}
_INDIGO_SOUND = Truth(
    Kind.SOUND, "no bug in the name; shared cells are updated by atomics, shared memory with barriers"
)


def indigo_truth(path: str) -> Truth:
    """Return the truth about a file of Indigo; a race comes first, because it is one on every graph."""
    words = re.split(r"_", PurePosixPath(path).stem)
    return next((truth for bug, truth in _INDIGO.items() if bug in words), _INDIGO_SOUND)


def read_truth(name: str, paths: Sequence[str], tables: Path = TABLES) -> Mapping[str, Truth]:
    """Return the truth about the files of the set `name`; ResultsError if no table has one of them."""
    if name == "indigo":
        return {path: indigo_truth(path) for path in paths}
    table = tables / f"{name}.tsv"
    if not table.exists():
        raise ResultsError(f"{table} is missing", "write it with the columns path, truth, reason")
    truths = read_table(table)
    if missing := [path for path in paths if path not in truths]:
        raise ResultsError(f"{table} lacks {len(missing)} files, first {missing[0]}", "read them, or exclude them")
    return truths


def read_table(table: Path) -> dict[str, Truth]:
    """Return a table of the truth by path; ResultsError for a kind that does not exist."""
    try:
        return {row["path"]: Truth(Kind(row["truth"]), row["reason"]) for row in rows_of(table)}
    except ValueError as error:
        raise ResultsError(f"{table}: {error}", f"allowed: {', '.join(Kind)}") from error


class Outcome(StrEnum):
    """What a verdict is worth."""

    RIGHT = "right"
    SOUND_BROKEN = "sound called broken"
    SOUND_DOUBTFUL = "sound called doubtful"
    BUG_CLEAN = "bug called clean"
    BUG_DOUBTFUL = "bug called doubtful"
    NEEDS_ARGUMENTS = "needs arguments"
    NOT_CHECKED = "not checked"

    @property
    def right(self) -> bool:
        """Whether the verdict is right."""
        return self is Outcome.RIGHT


_OF_SOUND = {
    "clean": Outcome.RIGHT,
    "schedule-dependent": Outcome.RIGHT,
    "doubtful": Outcome.SOUND_DOUBTFUL,
    "broken": Outcome.SOUND_BROKEN,
}
_OF_BUG = {
    "clean": Outcome.BUG_CLEAN,
    "schedule-dependent": Outcome.BUG_CLEAN,
    "doubtful": Outcome.BUG_DOUBTFUL,
    "broken": Outcome.RIGHT,
}
_OF_MILD = {**_OF_BUG, "doubtful": Outcome.RIGHT}
# The findings that a bug of this kind shows; other kinds of bugs may show as any.
_SHOWN_BY = {
    Kind.RACE: {"RAW", "WAR", "WAW", "SAME_VALUE", "ATOMIC_RACE", "GUESS", "UNORDERED", "NOT_STARTED", "ENDED"},
    Kind.DIVERGENCE: {
        "DIVERGENT_WARP_BARRIER", "BARRIER_SKIPPED", "CONDITIONAL_BARRIER", "BARRIER_IMPOSSIBLE", "DEADLOCK",
        "NOT_IN_OWN_MASK",
        "MASKS_DIFFER", "EXITED", "INACTIVE_SOURCE", "ABSENT_VALUE",
    },
    Kind.OUT_OF_BOUNDS: {"OUT_OF_BOUNDS", "MISALIGNED"},
    Kind.ASSERT: {"ASSERT_FAILED", "TRAPPED"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The outcome of one file."""

    path: str
    truth: Truth
    verdict: str
    outcome: Outcome
    reason: str  # of the verdict
    result: JobResult

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of all findings."""
        return tuple(dict.fromkeys(kind for kernel in self.result.kernels for kind in kernel.kinds))

    @property
    def differs_in_kind(self) -> bool:
        """Whether a bug is called broken for findings that do not show its kind."""
        shown_by = _SHOWN_BY.get(self.truth.kind)
        return self.outcome.right and shown_by is not None and not shown_by & {*self.kinds}


def compare(path: str, truth: Truth, result: JobResult) -> FileOutcome:
    """Return the outcome of a file with this truth."""
    if result.error or not result.kernels:
        return FileOutcome(path, truth, "none", Outcome.NOT_CHECKED, result.error or "no kernel", result)
    worst = max(result.kernels, key=lambda kernel: _ORDER.index(kernel.verdict))
    finding = f": {worst.findings[0]}" if worst.findings else ""
    reason = f"`{worst.name}`: {worst.sentence}{finding}"
    return FileOutcome(path, truth, worst.verdict, _outcome(truth, worst.verdict), reason, result)


def _outcome(truth: Truth, verdict: str) -> Outcome:
    if verdict == "needs arguments":
        return Outcome.NEEDS_ARGUMENTS
    outcomes = _OF_SOUND if truth.sound else _OF_MILD if truth.mild else _OF_BUG
    return outcomes.get(verdict, Outcome.NOT_CHECKED)

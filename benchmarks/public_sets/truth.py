"""The truth about each file: sound, or which kind of bug it has.

`truth/SET.tsv` is the table. Where two readers wrote one each, it is what they agreed on (`truth/differences.md`).
The truth of Indigo follows from the names of its files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from benchmarks.common.records import read_table as rows_of
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TABLES = Path(__file__).with_name("truth")
# How the reason of a mild bug begins: one that the manual forbids and that changes no result.
MILD = (
    "equal values:",  # written to one address
    "uninitialized, in no output:",
    "skipped by ending:",  # a barrier at which others wait: GPUs count threads that have ended as arrived
)


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

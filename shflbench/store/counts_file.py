"""`counts.json` of a run: what each launch of a kernel without a timed loop does, counted in the emulator."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from shflbench.core.model import LaunchCounts  # noqa: TC001  (pydantic takes the types from the annotations)
from shflbench.store import run_files
from shflbench.store.json_record import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import TypeAdapter

COUNTS_FILE = "counts.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class CaseCounts:
    """What the launch of one case does; None where it was not counted, of which `reason` says why."""

    case_id: str
    counts: LaunchCounts | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _CountsRecord:
    cases: tuple[CaseCounts, ...]


def write_counts(folder: Path, counts: Iterable[CaseCounts]) -> None:
    """Write `counts.json` of the run in `folder`; ResultsError if that fails."""
    with run_files.writing(folder):
        run_files.replace(folder / COUNTS_FILE, encode(_CountsRecord(tuple(counts)), SCHEMA).encode())


def read_counts(folder: Path) -> dict[str, CaseCounts]:
    """Return the counts of a run by case, none where it has no such file; ResultsError where the file is damaged."""
    path = folder / COUNTS_FILE
    if not path.exists():
        return {}
    record = decode(_adapter, run_files.text(run_files.read(path), path), path, SCHEMA)
    return {item.case_id: item for item in record.cases}


@cache
def _adapter() -> TypeAdapter[_CountsRecord]:
    from pydantic import TypeAdapter  # noqa: PLC0415  (slow to import, and only readers need it)

    return TypeAdapter(_CountsRecord)

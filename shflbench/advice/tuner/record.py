"""The files of a tuning run: `tune.json` has the request and the ranking, `tried.csv` what became of each candidate."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping  # noqa: TC003  (pydantic takes the types from the annotations)
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING

from shflbench.advice.tuner.candidates import RankedSetting  # noqa: TC001  (likewise)
from shflbench.advice.tuner.request import TuneRequest  # noqa: TC001  (likewise)
from shflbench.errors import ResultsError
from shflbench.patterns.discover import builtin_declaration
from shflbench.store import run_files
from shflbench.store.json_record import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import TypeAdapter

SCHEMA = 1
RECORD_FILE = "tune.json"
TRIED_FILE = "tried.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRecord:
    """What was asked, of which GPU, and how the model ranks the candidates."""

    request: TuneRequest
    arch: str
    uuid: str  # of the GPU; empty without one
    device: str  # its name; empty without one
    settings: tuple[RankedSetting, ...]
    excluded: Mapping[str, int]  # why combinations of parameters are no members, and how many


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCandidate:
    """A row of `tried.csv`: a candidate at a launch; None where nothing is known."""

    launch: str
    variant: str
    mechanism: str
    is_member: bool
    limit_cycles: float | None
    predicted_cycles: float | None
    rung: int | None  # the last one that measured it
    time_us: float | None  # in that rung, with its 95% interval
    time_low_us: float | None
    time_high_us: float | None
    left_out: str  # why it was not measured, or not any more; empty if it reached the last rung
    has_failed: bool = False  # to compile or to run, or computed a wrong result


def write_record(folder: Path, record: TuneRecord) -> None:
    """Write `tune.json`; ResultsError where the folder cannot be written."""
    with run_files.writing(folder):
        run_files.replace(folder / RECORD_FILE, encode(record, SCHEMA).encode())


def read_record(folder: Path) -> TuneRecord:
    """Read `tune.json`; ResultsError where it is missing or damaged, or names what this version does not have."""
    path = folder / RECORD_FILE
    if not path.exists():
        raise ResultsError(f"{folder} contains no tuning run: {path} is missing", "give the folder that `tune` printed")
    record = decode(_adapter, run_files.text(run_files.read(path), path), path, SCHEMA)
    if wrong := _contradiction(record):
        raise ResultsError(f"{path}: {wrong}", "restore the file as `tune` wrote it, or tune in a new folder")
    return record


def _contradiction(record: TuneRecord) -> str:
    """Return what a record cannot say, empty if it can be resumed."""
    declared = builtin_declaration(record.request.pattern)
    if declared is None:
        return f"there is no pattern {record.request.pattern}"
    if [setting.launch for setting in record.settings] != list(record.request.launches):
        return "the launches of `settings` are not those of `request`"
    for setting in record.settings:
        names = [one.variant for one in setting.candidates]
        if setting.iterations < 1:
            return f"{setting.launch} has {setting.iterations} iterations"
        if len({*names}) < len(names):
            return f"{setting.launch} has a candidate twice"
        if unknown := [name for name in names if not declared.has_variant(name)]:
            return f"{record.request.pattern} has no variant {unknown[0]}"
    return ""


def write_tried(folder: Path, rows: Iterable[TriedCandidate]) -> None:
    """Write `tried.csv`; ResultsError where the folder cannot be written."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [item.name for item in fields(TriedCandidate)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, rows))
    with run_files.writing(folder):
        run_files.replace(folder / TRIED_FILE, text.getvalue().encode())


@cache
def _adapter() -> TypeAdapter[TuneRecord]:
    from pydantic import TypeAdapter  # noqa: PLC0415  (slow to import, and only readers need it)

    return TypeAdapter(TuneRecord)

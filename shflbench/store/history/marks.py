"""Remarks of people on changes of a history: `marks.yaml` in its folder, a list that can be reviewed like code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

from ruamel.yaml.error import YAMLError

from shflbench.errors import InputError, UsageError
from shflbench.store import run_files
from shflbench.store.run_files import writing
from shflbench.suite.compose import UnsupportedYamlError, compose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARKS_FILE = "marks.yaml"
KEYS = ("case", "since", "as", "reason")
BEGINNING = """\
# What is known about changes of this history. `shflbench history mark` appends entries.
# case: id of a case, with * for any text. since: the day of the change. as: intended, known or ignore.
"""
CORRECT = "correct it, or remove the entry"


class MarkKind(StrEnum):
    """How a change is meant."""

    INTENDED = "intended"  # the new level is the right one
    KNOWN = "known"  # somebody works on it
    IGNORE = "ignore"  # the case is too noisy, or of no interest


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One entry."""

    case: str  # id, or a pattern with *
    since: str  # day of the change, `2026-11-20`; empty: all changes of the case
    kind: MarkKind
    reason: str


def read_marks(folder: Path) -> tuple[Mark, ...]:
    """Read the marks of a history; none where the file is missing. InputError, with the entry, where it is wrong."""
    path = folder / MARKS_FILE
    if not path.exists():
        return ()
    try:
        entries, _ = compose(run_files.read(path).decode())
    except (YAMLError, UnsupportedYamlError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not read: {_first_line(error)}", CORRECT) from None
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise InputError(f"{path} is no list of marks", CORRECT)
    return tuple(_marks(path, entries))


def _first_line(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).partition("\n")[0]


def _marks(path: Path, entries: list[object]) -> Iterator[Mark]:
    for number, entry in enumerate(entries, start=1):
        where = f"{path}, mark {number}"
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
            raise InputError(f"{where} is no mapping of texts", f"give {', '.join(KEYS)}")
        if unknown := [key for key in entry if key not in KEYS]:
            raise InputError(f"{where} has `{unknown[0]}`", f"the keys are {', '.join(KEYS)}")
        if missing := [key for key in ("case", "as", "reason") if not entry.get(key)]:
            raise InputError(f"{where} has no `{missing[0]}`", f"the keys are {', '.join(KEYS)}")
        kinds = [str(kind) for kind in MarkKind]
        if entry["as"] not in kinds:
            raise InputError(f"{where} has `as: {entry['as']}`", f"give one of {', '.join(kinds)}")
        since = entry.get("since", "")
        if since:
            _require_day(since, where)
        yield Mark(case=entry["case"], since=since, kind=MarkKind(entry["as"]), reason=entry["reason"])


def require_valid(mark: Mark) -> None:
    """Raise UsageError for a mark that no file may hold."""
    for name, text in (("CASE", mark.case), ("--reason", mark.reason)):
        if not text.strip() or not text.isprintable():
            raise UsageError(f"{name} is {text!r}", "give a text on one line")
    if mark.since:
        try:
            date.fromisoformat(mark.since)
        except ValueError:
            raise UsageError(f"--since is {mark.since!r}", "give a day such as 2026-11-20") from None


def _require_day(text: str, where: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{where} has `since: {text}`", "give a day such as 2026-11-20") from None


def add_mark(folder: Path, mark: Mark) -> Path:
    """Append a mark, and return the file; InputError where the file is wrong, ResultsError where it is not written."""
    read_marks(folder)
    path = folder / MARKS_FILE
    before = run_files.read(path).decode() if path.exists() else BEGINNING
    values = {"case": mark.case, "since": mark.since, "as": str(mark.kind), "reason": mark.reason}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value]
    entry = "\n".join((f"- {lines[0]}", *(f"  {line}" for line in lines[1:])))
    with writing(folder, "check its permissions"):
        run_files.replace(path, f"{before.rstrip()}\n{entry}\n".encode())
    return path

"""Remarks of people on changes of a history: `marks.yaml` in its folder, a list that can be reviewed like code."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ruamel.yaml.error import YAMLError

from shflbench.errors import InputError, UsageError
from shflbench.store import run_files
from shflbench.store.lock import sole_writer
from shflbench.store.run_files import writing
from shflbench.suite.compose import UnsupportedYamlError, compose

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks that could be read."""

    marks: tuple[Mark, ...] = ()
    problems: tuple[str, ...] = ()  # entries that were not read, a sentence each


def matches(pattern: str, case: str) -> bool:
    """Whether a case is one of a pattern, in which * is any text."""
    return fnmatchcase(case, re.sub(r"[?[]", r"[\g<0>]", pattern))


def read_marks(folder: Path) -> Marks:
    """Read the marks of a history, none where the file is missing; an entry that is wrong costs that entry alone."""
    path = folder / MARKS_FILE
    return _parsed(path, run_files.read(path)) if path.exists() else Marks()


def _parsed(path: Path, content: bytes) -> Marks:
    try:
        entries, _ = compose(content.decode())
    except (YAMLError, UnsupportedYamlError, UnicodeDecodeError) as error:
        return Marks(problems=(f"{path} is not read: {_first_line(error)}",))
    if entries is None:
        return Marks()
    if not isinstance(entries, list):
        return Marks(problems=(f"{path} is no list of marks",))
    read = [_mark(entry) for entry in entries]
    problems = (f"{path}, mark {number} {mark}" for number, mark in enumerate(read, 1) if isinstance(mark, str))
    return Marks(tuple(mark for mark in read if isinstance(mark, Mark)), tuple(problems))


def _first_line(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).partition("\n")[0]


def _mark(entry: object) -> Mark | str:
    """Return a mark, or what is wrong with it."""
    keys = f"the keys are {', '.join(KEYS)}"
    if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
        return f"is no mapping of texts: {keys}"
    if wrong := [f"has `{key}`" for key in entry if key not in KEYS]:
        return f"{wrong[0]}: {keys}"
    if missing := [key for key in ("case", "as", "reason") if not entry.get(key)]:
        return f"has no `{missing[0]}`: {keys}"
    if entry["as"] not in list(MarkKind):
        return f"has `as: {entry['as']}`: it is one of {', '.join(MarkKind)}"
    since = entry.get("since", "")
    if since and not _is_day(since):
        return f"has `since: {since}`: give a day such as 2026-11-20"
    return Mark(case=entry["case"], since=since, kind=MarkKind(entry["as"]), reason=entry["reason"])


def require_valid(mark: Mark) -> None:
    """Raise UsageError for a mark that no file may hold."""
    for name, text in (("CASE", mark.case), ("--reason", mark.reason)):
        if not text.strip() or not text.isprintable():
            raise UsageError(f"{name} is {text!r}", "give a text on one line")
    if mark.since and not _is_day(mark.since):
        raise UsageError(f"--since is {mark.since!r}", "give a day such as 2026-11-20")


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def add_mark(folder: Path, mark: Mark) -> Path:
    """Append a mark, and return the file, whose other text stays.

    InputError where the file is wrong, ResultsError where it is not written, or where another process writes it.
    """
    with sole_writer(folder):
        path = folder / MARKS_FILE
        known = read_marks(folder)
        if known.problems:
            raise InputError(known.problems[0], CORRECT)
        before = run_files.read(path).decode() if path.exists() else BEGINNING
        if not known.marks:  # comments, and perhaps an empty list
            before = "\n".join(line for line in before.splitlines() if line.lstrip().startswith("#"))
        text = f"{before.rstrip()}\n{_entry(mark, before)}\n".encode()
        if _parsed(path, text) != Marks((*known.marks, mark)):
            raise InputError(
                f"{path} is written in a form to which no entry can be appended",
                "write it as a list, with `- case:` at the beginning of each entry",
            )
        with writing(folder, "check its permissions"):
            run_files.replace(path, text)
        return path


def _entry(mark: Mark, before: str) -> str:
    """Return the text of an entry, indented as those before."""
    values = {"case": mark.case, "since": mark.since, "as": str(mark.kind), "reason": mark.reason}
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value]
    first = re.search(r"^( *)- ", before, re.MULTILINE)
    indent = first[1] if first else ""
    return "\n".join(f"{indent}{'  ' if place else '- '}{line}" for place, line in enumerate(lines))

"""Accept or refuse names of cases: they are shown in reports, written to CSV and matched by thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import SENTINEL, is_sentinel
from shflbench.errors import ResultsError
from shflbench.printable import escape, is_plain

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 500  # characters
MOST_CASES = 20_000  # per file
SHOWN = 60  # characters of a wrong value that are shown


def check_name(name: str, path: Path, where: str) -> str:
    """Return the name of a case; ResultsError if it is empty, too long, unprintable or reserved."""
    if not name.strip():
        raise _refused(path, where, "is empty")
    if len(name) > LONGEST:
        raise _refused(path, where, f"has {len(name):,} characters, more than {LONGEST}")
    if not is_plain(name):
        raise _refused(path, where, f"`{shorten(name)}` has characters that cannot be printed")
    if is_sentinel(name):
        raise _refused(path, where, f"`{shorten(name)}` starts with `{SENTINEL}/`, which is reserved")
    return name


def shorten(text: str) -> str:
    """Return a text for a message: on one line, and cut if it is long."""
    text = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return escape(text)


def _refused(path: Path, where: str, problem: str) -> ResultsError:
    return ResultsError(f"{path}: {where}: the name {problem}", "rename the benchmark or the value of its axis")

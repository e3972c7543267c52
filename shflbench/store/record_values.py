"""Refuse values of records that have the right type, and that no run writes; each error names file and field."""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store.run_files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME = re.compile(r"[a-z0-9-]+")  # of a suite or a tool: charts and runs are saved in a folder of this name
ARCH = re.compile(r"sm_[1-9][0-9]{1,2}[a-z]?")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")  # as `utc_now` writes it


def check_suite(name: str, path: Path, field: str) -> None:
    """Raise ResultsError unless the field has the name of a suite."""
    if not NAME.fullmatch(name):
        raise wrong_value(path, field, name, "the name of a suite")


def check_moments(moments: Mapping[str, str], path: Path, advice: str = RESTORE) -> None:
    """Raise ResultsError for the first field whose text is not a moment in UTC."""
    for field, text in moments.items():
        if not _is_moment(text):
            raise wrong_value(path, field, text, "a time in UTC such as 2026-11-20T08:00:10Z", advice)


def check_amounts(fields: Mapping[str, object], path: Path) -> None:
    """Raise ResultsError for the first field with a number that is below 0 or not finite."""
    for field, value in fields.items():
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise wrong_value(path, field, value, "a number, 0 or above")


def wrong_value(path: Path, field: str, value: object, allowed: str, advice: str = RESTORE) -> ResultsError:
    """Return the error that says what the field is and what is allowed."""
    return ResultsError(f"{path}: `{field}` is {value!r}, not {allowed}", advice)


def _is_moment(text: str) -> bool:
    try:
        return bool(_MOMENT.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:  # 31 February
        return False

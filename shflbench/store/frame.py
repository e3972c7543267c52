"""Runs as a table of pandas, for notebooks."""

from __future__ import annotations

from dataclasses import fields
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from shflbench.store.columns import Row
from shflbench.store.limits_file import CaseLimit, read_limits
from shflbench.store.read import find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import pandas as pd

DTYPES = {int: "Int64", float: "float64", bool: "bool"}  # Int64: integers of which some may be unknown
OF_RUN = ("run", "suite", "device")
OF_LIMIT = tuple(item.name for item in fields(CaseLimit) if item.name != "case_id")


def frame(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the cases of all runs at or below `paths`, one row each; `shflbench.load` describes the columns."""
    import pandas as pd  # noqa: PLC0415  (slow to import)

    names = (*OF_RUN, *(item.name for item in fields(Row)), *OF_LIMIT)
    table = pd.DataFrame.from_records(list(_records(paths)), columns=list(names))
    return table.astype({name: kind for name, kind in _kinds() if name in names})


def _records(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for folder in find_runs(paths):
        run, limits = read_run(folder), read_limits(folder)
        device = run.info.device
        shared = (str(folder), run.info.suite.name, device.name if device else None)
        for row in run.rows:
            limit = limits.get(row.case_id)
            yield {
                **dict(zip(OF_RUN, shared, strict=True)),
                **{item.name: getattr(row, item.name) for item in fields(Row)},
                "options": ";".join(row.option_texts),  # as in the file: text can be grouped by
                "status": row.status.value,
                **{name: getattr(limit, name, None) for name in OF_LIMIT},
            }


def _kinds() -> Iterator[tuple[str, str]]:
    """Yield the dtype of each column of numbers or truth values."""
    for record in (Row, CaseLimit):
        for name, hint in get_type_hints(record).items():
            for kind in {hint, *get_args(hint)} - {NoneType}:
                if kind in DTYPES and get_args(hint)[1:] in {(), (NoneType,)}:
                    yield name, DTYPES[kind]

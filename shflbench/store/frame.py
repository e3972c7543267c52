"""Runs and their samples as tables of pandas, for notebooks."""

from __future__ import annotations

import re
from dataclasses import fields
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from shflbench.core.model import is_sentinel
from shflbench.store.columns import Row
from shflbench.store.limits_file import CaseLimit, read_limits
from shflbench.store.read import find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from shflbench.store.read import Run

DTYPES = {int: "Int64", float: "float64", bool: "bool"}  # Int64: integers of which some may be unknown
OF_RUN = ("run", "suite", "device")
OF_CASE = ("pattern", "variant", "dtype", "launch", "options")
INTEGER = re.compile("-?(0|[1-9][0-9]{0,17})")  # 18 digits fit into 64 bits; 007 is text
NUMBER = re.compile(INTEGER.pattern + r"(\.[0-9]+)?")
OF_LIMIT = tuple(item.name for item in fields(CaseLimit) if item.name != "case_id")


def frame(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the cases of all runs at or below `paths`, one row each; `shflbench.load` describes the columns."""
    import pandas as pd  # noqa: PLC0415  (slow to import)

    names = (*OF_RUN, *(item.name for item in fields(Row)), *OF_LIMIT)
    table = pd.DataFrame.from_records(list(_records(paths)), columns=list(names))
    return table.astype({name: kind for name, kind in _kinds() if name in names})


def sample_frame(paths: Iterable[Path], *, sentinels: bool) -> pd.DataFrame:
    """Return the samples of all runs at or below `paths`; `shflbench.load_samples` describes the columns."""
    import pandas as pd  # noqa: PLC0415  (slow to import)

    return pd.concat(
        [_samples(read_run(folder), sentinels=sentinels) for folder in find_runs(paths)], ignore_index=True
    )


def _samples(run: Run, *, sentinels: bool) -> pd.DataFrame:
    """Return the samples of a run, each with the keys of its row."""
    table = run.samples()
    if not sentinels:
        table = table[~table["case_id"].map(is_sentinel).astype(bool)]
    keys = {row.case_id: (row.pattern, row.variant, row.dtype, row.launch, _options(row)) for row in run.rows}
    ids = table["case_id"]
    columns: dict[str, str | pd.Series[Any] | None] = {**_of_run(run), "case_id": ids}
    for place, name in enumerate(OF_CASE):
        columns[name] = ids.map({case_id: of_case[place] for case_id, of_case in keys.items()})
    kinds = dict.fromkeys((*OF_RUN, "case_id", *OF_CASE), "object")
    table = table.drop(columns="case_id")
    return table.assign(**columns)[[*columns, *table.columns]].astype(kinds)


def split(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a column per option; `shflbench.split_options` describes it."""
    options = {text: dict(_pairs(text)) for text in cases["options"].dropna().unique()}
    names = dict.fromkeys(name for pairs in options.values() for name in pairs)
    values = {
        name: _typed([options.get(text, {}).get(name) for text in cases["options"]], cases.index) for name in names
    }
    return cases.assign(**{f"option_{name}": column for name, column in values.items()})


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, text.split(";")):
        name, _, value = part.partition("=")
        yield name, value


def _typed(values: Sequence[str | None], index: pd.Index[Any]) -> pd.Series[Any]:
    """Return a column of integers or numbers if all of its values are such, else of text."""
    import pandas as pd  # noqa: PLC0415  (slow to import)

    known = [value for value in values if value is not None]
    for pattern, convert, dtype in ((INTEGER, int, "Int64"), (NUMBER, float, "Float64")):
        if all(pattern.fullmatch(value) for value in known):
            numbers = [None if value is None else convert(value) for value in values]
            return pd.Series(numbers, index, dtype=dtype)
    return pd.Series(values, index, dtype=object)


def _options(row: Row) -> str:
    """Return the options as in the file: text can be grouped by."""
    return ";".join(row.option_texts)


def _of_run(run: Run) -> dict[str, str | None]:
    device = run.info.device
    return dict(zip(OF_RUN, (str(run.folder), run.info.suite.name, device.name if device else None), strict=True))


def _records(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for folder in find_runs(paths):
        run, limits = read_run(folder), read_limits(folder)
        for row in run.rows:
            limit = limits.get(row.case_id)
            yield {
                **_of_run(run),
                **{item.name: getattr(row, item.name) for item in fields(Row)},
                "options": _options(row),
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

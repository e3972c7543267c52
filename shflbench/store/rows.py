"""The rows of `results.csv` as text, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import QUIET, Disturbance, Status
from shflbench.store.cells import FLAG, NEGATIVE_TOO, TEXT, TIME, Kind, finite, integer, number, whole
from shflbench.store.columns import Counts, Disturbances, Options, Row
from shflbench.store.csv_table import CsvTable, refuse_twice

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OLDER_KINDS = {"bent": Disturbance.NONLINEAR}  # of noise, as earlier versions wrote it


def decode(text: str, path: Path) -> list[Row]:
    """Read the text of the `results.csv` at `path`: header and whole lines.

    ResultsError, which names the line, where the text is no table of rows or a case is there twice.
    """
    columns = ROWS.columns(text, path)
    refuse_twice(columns, path)
    return ROWS.decode(columns)


def _parts(text: str) -> list[str]:
    return text.split(";") if text else []


def _pairs(text: str) -> list[tuple[str, str]]:
    parts = [part.partition("=") for part in _parts(text)]
    if not all(equals for _, equals, _ in parts):
        raise ValueError(text)
    return [(name, value) for name, _, value in parts]


def _numbers(text: str) -> dict[str, float]:
    return {name: finite(number) for name, number in _pairs(text)}


def _text_of_numbers(numbers: Mapping[str, float]) -> str:
    return ";".join(f"{name}={number:g}" for name, number in numbers.items())


def _disturbances(text: str) -> Disturbances:
    parts = (part.partition("=") for part in _parts(text))
    # A kind without a size, which readers have always accepted, counts in full.
    return {} if text == QUIET else {_disturbance(kind): finite(size or "1") for kind, _, size in parts}


def _disturbance(kind: str) -> Disturbance:
    return OLDER_KINDS.get(kind) or Disturbance(kind)


SIGNED = number(NEGATIVE_TOO)
ROWS = CsvTable(
    Row,
    {
        str: TEXT,
        bool: FLAG,
        int: whole(),
        float: number(),
        Status: Kind(Status, "one of " + ", ".join(Status)),
        tuple[int, ...]: Kind(
            lambda text: tuple(map(integer, _parts(text))),
            "integers joined by `;`",
            lambda values: ";".join(map(str, values)),
        ),
        tuple[str, ...]: Kind(lambda text: tuple(_parts(text)), "", ";".join),
        Options: Kind(
            lambda text: tuple(_pairs(text)),
            "`name=value` joined by `;`",
            lambda values: ";".join(map("=".join, values)),
        ),
        Counts: Kind(_numbers, "`LDS=1` joined by `;`", _text_of_numbers),
        Disturbances: Kind(
            _disturbances, f"{QUIET}, or `drift=0.012` joined by `;`", lambda sizes: _text_of_numbers(sizes) or QUIET
        ),
        # Of the other columns, none can be below zero.
        **dict.fromkeys(("time_us", "time_low_us", "time_high_us"), TIME),
        **dict.fromkeys(("ns_per_iteration", "ns_per_iteration_low", "ns_per_iteration_high"), SIGNED),
        **dict.fromkeys(("cycles_per_iteration", "launch_overhead_us"), SIGNED),  # of a slope that noise can turn
        "temperature_c": whole(-273),
    },
)

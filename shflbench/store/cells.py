"""How the values of a column are written in its cells and read back; readers accept what pandas and spreadsheets write.

Both add `.0` to integers of a column with empty cells, and write `True` for `true`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from shflbench.core.numerals import decimal_number, whole_number

if TYPE_CHECKING:
    from collections.abc import Callable

Cell: TypeAlias = bool | int | float | str | None

DIGITS = 7  # significant, of every number that is not whole: far finer than the 32 ns step of an event time
SHORTEST_US = 0.001  # no launch is as short; zero and less come from a damaged file, and nothing divides by them
LARGEST = 2**63 - 1  # of integers: what NumPy and pandas can hold
NEGATIVE_TOO = -math.inf


class Kind(NamedTuple):
    """How the values of one type are read, and written where they are not single ones."""

    read: Callable[[str], object]  # ValueError for a text that cannot be such a value
    allowed: str = ""
    write: Callable[[Any], Cell] = lambda value: value


def text_of(cell: Cell) -> str:
    """Return the text of a cell, without line breaks: a line of the file is a row."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):  # a number that is not finite says nothing, and unknown is empty
        return repr(float(f"{cell:.{DIGITS}g}")) if math.isfinite(cell) else ""
    return " ".join(str(cell).splitlines())


def flag(text: str) -> bool:
    """Read true or false; ValueError for another text."""
    return ("false", "true").index(text.lower()) == 1


def finite(text: str) -> float:
    """Read a number; ValueError for nan, inf and what is no number."""
    number = decimal_number(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def integer(text: str) -> int:
    """Read an integer, also one that ends in `.0`; ValueError for another text."""
    try:
        number = whole_number(text)
    except ValueError:
        value = finite(text)
        number = int(value)
        if number != value:
            raise
    if abs(number) > LARGEST:
        raise ValueError(text)
    return number


def whole(least: int = 0) -> Kind:
    """Return the kind of integers that are not below `least`."""
    return Kind(lambda text: _at_least(integer(text), least), f"an integer, {least} or above")


def number(least: float = 0) -> Kind:
    """Return the kind of numbers that are not below `least`."""
    allowed = "a number" if least == NEGATIVE_TOO else f"a number, {least:g} or above"
    return Kind(lambda text: _at_least(finite(text), least), allowed)


def _at_least(value: float, least: float) -> float:
    if value < least:
        raise ValueError(value)
    return value


TEXT = Kind(str)
FLAG = Kind(flag, "true or false")
TIME = Kind(number(SHORTEST_US).read, "a time in µs")

"""The grammar of `--arg NAME=VALUE`.

VALUE is a number, `TYPE[COUNT]` with an optional `:FILL`, the path of a `.npy` file, or `null`.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from shflbench.checker.inputs.elements import ELEMENTS, Element, element_of
from shflbench.core.files import read_regular
from shflbench.core.words import did_you_mean
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_GIVEN_BYTES = 1 << 28  # of one given buffer
HEADER = 1 << 16  # bytes of a .npy file beside the buffer, at most
MOST_WHOLE = 1 << 63  # a number such as `1e6` is an integer below it
FILLS = ("random", "index", "0")
ADVICE = "Write NAME=NUMBER, NAME=TYPE[COUNT], NAME=TYPE[COUNT]:FILL, NAME=FILE.npy or NAME=null."

_BUFFER = re.compile(r"(?P<type>[A-Za-z_]\w*)\[(?P<count>[^\]]*)\](?::(?P<fill>.*))?", re.DOTALL)
_COUNT = re.compile(r"[0-9]{1,12}|[0-9]{1,3}(?:\.[0-9]{1,9})?[eE][0-9]{1,2}")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|nan)")


@dataclass(frozen=True, slots=True)
class NumberValue:
    """A number."""

    value: int | float
    is_passed: bool = False  # whether the host code passes it to a launch, and so says which launches get it


@dataclass(frozen=True, slots=True)
class BufferValue:
    """A buffer of `count` elements: seeded values, zeros, their index, or a list that repeats."""

    element: Element
    count: int
    fill: str | tuple[int | float, ...] = "random"


@dataclass(frozen=True, slots=True, eq=False)
class ArrayValue:
    """A buffer with the contents of an array."""

    values: NDArray[Any]
    source: str = ""  # the file that it was read from

    @property
    def place(self) -> tuple[int, int]:
        """Address and bytes: a program passes one array to several parameters, which then share a buffer."""
        address: int = self.values.__array_interface__["data"][0]
        return address, self.values.nbytes


@dataclass(frozen=True, slots=True)
class NullValue:
    """A null pointer."""


ArgumentValue: TypeAlias = NumberValue | BufferValue | ArrayValue | NullValue


@dataclass(frozen=True, slots=True)
class GivenArgument:
    """A value that the user gave to the parameter `name`: its name, or its position counted from 0."""

    name: str
    value: ArgumentValue


def parse_arguments(texts: Sequence[str]) -> tuple[GivenArgument, ...]:
    """Return the arguments that the texts of `--arg` give; UsageError for a text that gives none or one twice."""
    arguments = tuple(parse_argument(text) for text in texts)
    names = [argument.name for argument in arguments]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--arg gives `{name}` twice", "Leave one of them out.")
    return arguments


def parse_argument(text: str) -> GivenArgument:
    """Return the argument that one text of `--arg` gives; UsageError if it gives none."""
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name or not value:
        raise UsageError(f"--arg `{text}` is not NAME=VALUE", ADVICE)
    return GivenArgument(name, _value(name, value))


def _value(name: str, text: str) -> ArgumentValue:
    if text in {"null", "nullptr", "NULL"}:
        return NullValue()
    if text in {"true", "false"}:
        return NumberValue(int(text == "true"))
    if _NUMBER.fullmatch(text):
        return NumberValue(_number(text))
    if match := _BUFFER.fullmatch(text):
        return _buffer(name, match)
    if text.endswith(".npy"):
        return _file(name, Path(text))
    raise UsageError(f"--arg {name}: `{text}` is neither a number nor a buffer{did_you_mean(text, ELEMENTS)}", ADVICE)


def _number(text: str) -> int | float:
    try:
        return int(text, 0) if "x" in text.lower() else int(text)
    except ValueError:
        value = float(text)
    is_whole = "e" in text.lower() and value.is_integer() and abs(value) < MOST_WHOLE
    return int(value) if is_whole else value


def _buffer(name: str, match: re.Match[str]) -> BufferValue:
    element = ELEMENTS.get(match["type"])
    if element is None:
        known = ", ".join(ELEMENTS)
        raise UsageError(
            f"--arg {name}: unknown type `{match['type']}`; allowed: {known}{did_you_mean(match['type'], ELEMENTS)}"
        )
    count = match["count"].strip()
    number = _number(count) if _COUNT.fullmatch(count) else 0
    if not isinstance(number, int) or not 0 < number * element.size <= MOST_GIVEN_BYTES:
        raise UsageError(
            f"--arg {name}: `{count}` is not a number of elements, 1 to {MOST_GIVEN_BYTES // element.size}"
        )
    fill = match["fill"]
    if fill is None or fill.strip() in FILLS:
        return BufferValue(element, number, (fill or "random").strip())
    return BufferValue(element, number, _list(name, fill, element))


def _list(name: str, fill: str, element: Element) -> tuple[int | float, ...]:
    items = [item.strip() for item in fill.split(",")]
    for item in items:
        if not _NUMBER.fullmatch(item):
            raise UsageError(
                f"--arg {name}: `{item}` is no fill; allowed: {', '.join(FILLS)} or numbers such as 1,2,3"
                + did_you_mean(item, FILLS)
            )
    numbers = tuple(_number(item) for item in items)
    try:
        element.encode(list(numbers))
    except (OverflowError, ValueError) as error:
        raise UsageError(f"--arg {name}: a value of the list does not fit {element.name}") from error
    return numbers


def _file(name: str, path: Path) -> ArrayValue:
    try:
        values = np.load(io.BytesIO(read_regular(path, MOST_GIVEN_BYTES + HEADER)), allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError) as error:  # a damaged header can claim any size
        why = error.strerror.lower() if isinstance(error, OSError) and error.strerror else "it is no array of NumPy"
        raise UsageError(f"--arg {name}: {path} cannot be read: {why}", "Save it with numpy.save.") from error
    if not isinstance(values, np.ndarray) or element_of(values.dtype.str) is None:
        raise UsageError(f"--arg {name}: {path} holds no array of numbers", "Save one array with numpy.save.")
    if not 0 < values.nbytes <= MOST_GIVEN_BYTES:
        raise UsageError(f"--arg {name}: {path} holds {values.nbytes} bytes; allowed: 1 to {MOST_GIVEN_BYTES}")
    return ArrayValue(values, str(path))

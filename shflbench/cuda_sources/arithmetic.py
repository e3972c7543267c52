"""Arithmetic of C++ on constants."""

from __future__ import annotations

import operator
import re
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

from shflbench.cuda_sources.kernel_file import Dims

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Value: TypeAlias = int | float | Dims | None  # None if it is not constant
_BITS_OF_SHIFTS = 64
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)(?:[uUlLzZ]*)")
_FLOAT = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFlL]?")


def number(text: str) -> int | float | None:
    """Return the value of a literal, whose sign the grammar counts as part of it."""
    if text[:1] in {"-", "+"}:
        value = _digits(text[1:].strip())
        return -value if value is not None and text[0] == "-" else value
    return _digits(text)


def _digits(text: str) -> int | float | None:
    if match := _NUMBER.fullmatch(text):
        digits = match[1].replace("'", "")
        octal = len(digits) > 1 and digits.isdigit() and digits.startswith("0")
        try:
            return int(digits, 8 if octal else 0)
        except ValueError:  # too many digits, or 8 in an octal number
            return None
    match = _FLOAT.fullmatch(text.replace("'", ""))
    return float(match[1]) if match else None


def operate(sign: str, first: float, second: float) -> Value:
    """Return the result of a binary operator; None if it is undefined or no arithmetic."""
    if sign in _ARITHMETIC:
        return _ARITHMETIC[sign](first, second)
    if sign in {"/", "%"} and second != 0:
        if isinstance(first, int) and isinstance(second, int):
            quotient = abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
            return quotient if sign == "/" else first - quotient * second
        return first / second if sign == "/" else None
    if not (isinstance(first, int) and isinstance(second, int)):
        return None
    if sign in {"<<", ">>"}:
        return int(first << second if sign == "<<" else first >> second) if 0 <= second < _BITS_OF_SHIFTS else None
    return _BITS[sign](first, second) if sign in _BITS else None


COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "&&": lambda first, second: bool(first) and bool(second), "||": lambda first, second: bool(first) or bool(second),
}  # fmt: skip
_ARITHMETIC: Mapping[str, Callable[[float, float], int | float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul
}  # fmt: skip
_BITS: Mapping[str, Callable[[int, int], int]] = {"&": int.__and__, "|": int.__or__, "^": int.__xor__}


def convert(value: Value, type_: str) -> Value:
    """Return a value after conversion to a type; None if the type is unknown and the value is not an integer."""
    if value is None or isinstance(value, tuple):
        return value if type_ in {"dim3", "auto"} else None
    words = set(re.findall(r"\w+", type_)) - {"const", "std"}
    if words & {"float", "double"}:
        return float(value)
    if words == {"bool"}:
        return int(bool(value))
    if words == {"auto"}:
        return value
    bits = _width(words)
    if bits is None or not isfinite(value):
        return int(value) if isinstance(value, int) else None
    signed = not (words & {"unsigned", "size_t", "uint"} or any(word.startswith("uint") for word in words))
    whole = int(value) & ((1 << bits) - 1)
    return whole - (1 << bits) if signed and whole >> (bits - 1) else whole


def _width(words: set[str]) -> int | None:
    if "*" in words or not words:
        return None
    if words & {"long", "size_t", "int64_t", "uint64_t", "ptrdiff_t"}:
        return 64
    if words & {"short", "int16_t", "uint16_t"}:
        return 16
    if words & {"char", "int8_t", "uint8_t"}:
        return 8
    return 32 if words & {"int", "unsigned", "uint", "int32_t", "uint32_t"} else None

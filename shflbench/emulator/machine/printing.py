"""Format what `printf` of a kernel prints."""

import re
import struct
from collections.abc import Callable

# C's conversions (CUDA C++ Programming Guide, "Formatted Output": %[flags][width][.precision][size]type).
_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?(?P<size>hh|h|ll|l|z|t|j|L|q)?"
    r"(?P<type>[cdiouxXpeEfFgGaAs%])"
)
_WIDE = {"l", "ll", "z", "t", "j", "q"}
_SIZES = {"hh": 8, "h": 16}
_MOST_DIGITS = 100  # of a width or precision; more is a damaged format


class _Arguments:
    """The buffer of values, each at a multiple of its size."""

    def __init__(self, values: bytes) -> None:
        self.values, self.place = values, 0

    def take(self, code: str) -> int | float:
        size = struct.calcsize(code)
        start = -(-self.place // size) * size
        self.place = start + size
        part = self.values[start : start + size].ljust(size, b"\0")
        value: int | float = struct.unpack(f"<{code}", part)[0]
        return value


def format_text(text: str, values: bytes, string: Callable[[int], str]) -> str:
    """Return `text` with its conversions replaced; `string` returns the characters at an address."""
    arguments = _Arguments(values)
    return _CONVERSION.sub(lambda match: _converted(match, arguments, string), text)


def _converted(match: re.Match[str], arguments: _Arguments, string: Callable[[int], str]) -> str:
    type_, size = match["type"], match["size"] or ""
    if type_ == "%":
        return "%"
    width = _number(match["width"], arguments)
    precision = _number(match["precision"], arguments)
    flags = match["flags"]
    if width < 0:
        flags, width = flags + "-", -width
    form = f"%{''.join(dict.fromkeys(flags))}{min(width, _MOST_DIGITS) or ''}"
    exact = form + (f".{min(precision, _MOST_DIGITS)}" if match["precision"] is not None else "")
    conversion, value = _value(type_, size, exact, form, arguments, string)
    return conversion % value


def _value(  # noqa: PLR0913, PLR0917  (the parts of a conversion)
    type_: str, size: str, exact: str, form: str, arguments: _Arguments, string: Callable[[int], str]
) -> tuple[str, str | int | float]:
    """Return Python's conversion, and the value that it formats."""
    wide, bits = size in _WIDE, _SIZES.get(size, 64)
    result: tuple[str, str | int | float]
    match type_:
        case "s":
            result = f"{exact}s", string(int(arguments.take("Q")))
        case "c":
            result = f"{form}s", chr(int(arguments.take("i")) & 0xFF)
        case "p":
            result = f"{form}s", f"{int(arguments.take('Q')):#x}"
        case "a" | "A":
            result = f"{form}s", float(arguments.take("d")).hex()
        case "d" | "i":
            value = int(arguments.take("q" if wide else "i"))
            result = f"{exact}d", (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
        case "o" | "u" | "x" | "X":
            value = int(arguments.take("Q" if wide else "I")) % (1 << bits)
            result = f"{exact}{'d' if type_ == 'u' else type_}", value
        case _:
            result = f"{exact}{type_}", float(arguments.take("d"))
    return result


def _number(text: str | None, arguments: _Arguments) -> int:
    return int(arguments.take("i")) if text == "*" else int(text or 0)

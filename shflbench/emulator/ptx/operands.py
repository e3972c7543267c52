"""Read the operands of a PTX instruction."""

import re
import struct
from collections.abc import Callable, Iterator

from shflbench.emulator.ptx.syntax import (
    Address,
    Immediate,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
    shorten,
)
from shflbench.errors import EmulatorError

Resolve = Callable[[str], str | None]  # name in the text → the unique name of a register, None if it names none


NAME = r"[A-Za-z_$%][\w$%.]*"
_FLOAT = re.compile(r"0[fF]([0-9A-Fa-f]{8})|0[dD]([0-9A-Fa-f]{16})")
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9A-Fa-f]+|0[bB][01]+|\d+)U?")
_DECIMAL = re.compile(r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?")
_NAME = re.compile(NAME)
_ADDRESS = re.compile(rf"({NAME}|[-+]?\w+)\s*(?:\+\s*([-+]?\w+))?")
_LONGEST_NUMBER = 70  # 64 binary digits, a prefix and a sign
_MARK = re.compile(r"[][{}(),]")
_OPENING, _CLOSING = "{[(", "}])"
_DEEPEST = 16  # brackets in brackets; an initializer of an array has as many as dimensions


def split(text: str) -> Iterator[str]:
    """Yield the parts of `text` between the commas that stand outside all brackets."""
    depth, start = 0, 0
    for mark in _MARK.finditer(text):
        letter, position = mark[0], mark.start()
        if letter in _OPENING:
            depth += 1
            if depth > _DEEPEST:
                raise EmulatorError(f"brackets nest deeper than {_DEEPEST} in `{shorten(text.strip())}`")
        elif letter in _CLOSING:
            depth -= 1
        elif not depth:
            yield text[start:position].strip()
            start = position + 1
    if depth:
        raise EmulatorError(f"brackets do not match in `{shorten(text.strip())}`")
    yield text[start:].strip()


def number(text: str) -> Immediate:
    """Return the constant that `text` spells; EmulatorError if it spells none."""
    if match := _FLOAT.fullmatch(text):
        return Immediate(int(match[1] or match[2], 16), 4 if match[1] else 8)
    if _DECIMAL.fullmatch(text) and len(text) <= _LONGEST_NUMBER:
        return Immediate(int.from_bytes(struct.pack("<d", float(text)), "little"), 8)
    if not _INTEGER.fullmatch(text) or len(text) > _LONGEST_NUMBER:
        raise EmulatorError(f"`{shorten(text)}` is not a PTX constant")
    digits = text.rstrip("U").lower()
    sign, digits = (-1, digits[1:]) if digits[0] == "-" else (1, digits.removeprefix("+"))
    octal = digits.isdigit() and len(digits) > 1 and digits[0] == "0"
    try:
        return Immediate(sign * int(digits, 8 if octal else 0))
    except ValueError as error:
        raise EmulatorError(f"`{shorten(text)}` is not a PTX constant") from error


def operand(text: str, resolve: Resolve) -> Operand:
    """Return what one operand means; `resolve` knows the registers in scope."""
    if not text:
        raise EmulatorError("an operand is missing")
    if text[0] in "{(":
        inner = text[1:-1].strip()
        return Vector(tuple(operand(item, resolve) for item in split(inner)) if inner else ())
    if text[0] == "[":
        return _address(text[1:-1].strip(), resolve)
    if "|" in text:
        parts = text.split("|")
        value, predicate = (operand(item.strip(), resolve) for item in (parts[0], parts[-1]))
        if text.count("|") == 1 and isinstance(value, Register) and isinstance(predicate, Register):
            return Pair(value, predicate)
        raise EmulatorError(f"`{shorten(text)}` is not a pair of registers")
    if text[0] == "!":
        named = operand(text.lstrip("! "), resolve)
        if isinstance(named, Register) and text.count("!") == 1:
            return Register(named.name, negated=True)
        raise EmulatorError(f"`{shorten(text)}` does not negate a register")
    return _plain(text, resolve)


def _plain(text: str, resolve: Resolve) -> Register | Immediate | Symbol:
    if not _NAME.fullmatch(text):
        match = re.fullmatch(rf"({NAME})\s*\+\s*(\d+)", text)
        return Symbol(match[1], number(match[2]).value) if match else number(text)
    unique = resolve(text)
    if unique is not None:
        return Register(unique)
    if text[0] == "%" or text == "_":
        return Register(text)
    return Symbol(text)


def _address(text: str, resolve: Resolve) -> Address:
    base, *rest = split(text)
    match = _ADDRESS.fullmatch(base)
    if not match:
        raise EmulatorError(f"`[{shorten(text)}]` is not an address")
    coordinates = tuple(operand(item, resolve) for item in rest)
    return Address(_plain(match[1], resolve), number(match[2]).value if match[2] else 0, coordinates)

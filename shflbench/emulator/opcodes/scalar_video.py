"""Scalar video instructions of PTX ISA 9.0: arithmetic with parts of registers, and a second operation.

The parser turns the part that an operand names, as in `%r1.h0`, into a modifier `a-h0` of the instruction.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shflbench.emulator.opcodes.forms import Decoder, Form, Pure, UnknownFormError, Values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shflbench.emulator.ptx.syntax import PtxInstruction

_OPERATIONS: Mapping[str, Callable[[Values, Values], Values]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: np.abs(a - b),
    "vmin": np.minimum,
    "vmax": np.maximum,
}
_SECOND: Mapping[str, Callable[[Values, Values], Values]] = {
    "add": lambda a, c: a + c, "min": np.minimum, "max": np.maximum
}  # fmt: skip
_TYPES = {"u32": np.uint32, "s32": np.int32}
_WITHOUT_C, _WITH_C = 3, 4  # operands of an instruction


class _RegisterPart(NamedTuple):
    """A byte, a half or the whole of a register."""

    shift: int = 0
    bits: int = 32

    def of(self, words: Values, *, signed: bool) -> Values:
        """Return the part of words as 64-bit integers."""
        field: Values = (words.astype(np.int64) >> self.shift) & ((1 << self.bits) - 1)
        return field - ((field >> (self.bits - 1)) << self.bits) if signed else field

    def limits(self, *, signed: bool) -> tuple[int, int]:
        """Return the least and the greatest number that the part can have."""
        return (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) if signed else (0, (1 << self.bits) - 1)


def _part(name: str) -> _RegisterPart:
    bits = {"b": 8, "h": 16}[name[0]]
    place = int(name[1])
    if place * bits >= 32:  # noqa: PLR2004  (bits of a register)
        raise UnknownFormError
    return _RegisterPart(place * bits, bits)


def _parts(words: Sequence[str]) -> dict[str, _RegisterPart]:
    """Return the part of each operand that names one: `d`, `a` and `b`."""
    named = [word.split("-") for word in words]
    if any(operand not in {"d", "a", "b"} for operand, _ in named) or len({item[0] for item in named}) < len(named):
        raise UnknownFormError
    return {operand: _part(name) for operand, name in named}


def _decode(operation: str, instruction: PtxInstruction) -> Form:
    target, first, second, *words = instruction.modifiers or ("",) * 3
    parts = _parts([word for word in words if "-" in word])
    plain = [word for word in words if "-" not in word]
    saturates = plain[:1] == ["sat"]
    then = plain[1:] if saturates else plain
    has_c = len(instruction.operands) == _WITH_C
    if {target, first, second} - _TYPES.keys() or len(then) > 1 or set(then) - _SECOND.keys():
        raise UnknownFormError
    if has_c != bool(then or "d" in parts) or (then and "d" in parts) or len(instruction.operands) < _WITHOUT_C:
        raise UnknownFormError
    # Whether `min` and `max` see the bits above 32 of a result that does not fit, the ISA does not say.
    fits = saturates or (operation in {"vmin", "vmax"} and target == first == second)
    if then and then[0] != "add" and not fits:
        raise UnknownFormError
    # On an H200, results of these that are put into a part of a register, and saturated differences of operands with
    # and without a sign, are others than the ISA describes.
    is_mixed = operation == "vabsdiff" and saturates and first != second
    if is_mixed or (operation not in {"vadd", "vsub"} and "d" in parts):
        raise UnknownFormError
    signed, whole = target == "s32", _RegisterPart()
    merged = parts.get("d", whole)

    def result(a: Values, b: Values) -> Values:
        x = parts.get("a", whole).of(a, signed=first == "s32")
        y = parts.get("b", whole).of(b, signed=second == "s32")
        value = _OPERATIONS[operation](x, y)
        return np.clip(value, *merged.limits(signed=signed)) if saturates else value

    def apply(a: Values, b: Values, out: Values) -> None:
        np.copyto(out, result(a, b).astype(np.uint32))

    def apply_with_c(a: Values, b: Values, c: Values, out: Values) -> None:
        value = result(a, b)
        if then:
            value = _SECOND[then[0]](value, whole.of(c, signed=signed))
        else:
            mask = ((1 << merged.bits) - 1) << merged.shift
            value = ((value << merged.shift) & mask) | (c.astype(np.int64) & ~mask)
        np.copyto(out, value.astype(np.uint32))

    return Pure(("u4",), ("u4",) * (3 if has_c else 2), apply_with_c if has_c else apply)


def _decode_product(instruction: PtxInstruction) -> Form:
    """Return the form of `vmad` without scale and saturation: of its result only 32 bits count."""
    target, first, second, *words = instruction.modifiers or ("",) * 3
    parts = _parts([word for word in words if "-" in word])
    is_plain = all("-" in word for word in words) and "d" not in parts
    if {target, first, second} - _TYPES.keys() or not is_plain or len(instruction.operands) != _WITH_C:
        raise UnknownFormError

    def apply(a: Values, b: Values, c: Values, out: Values) -> None:
        x = parts.get("a", _RegisterPart()).of(a, signed=first == "s32")
        y = parts.get("b", _RegisterPart()).of(b, signed=second == "s32")
        product = x.astype(np.uint32) * y.astype(np.uint32)
        np.copyto(out, product + c.astype(np.uint32))

    return Pure(("u4",), ("u4", "u4", "u4"), apply)


FORMS: Mapping[str, Decoder] = {
    **{name: partial(_decode, name) for name in _OPERATIONS},
    "vmad": _decode_product,
}

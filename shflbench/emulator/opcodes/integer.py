"""Integer arithmetic: wraps as two's complement unless it saturates.

Division truncates towards zero; by zero it gives all ones, as GPUs do.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np

from shflbench.emulator.opcodes.forms import (
    Apply,
    Decoder,
    Pure,
    UnknownFormError,
    Values,
    last_type,
    only,
    unsigned_type,
)
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction


def _high_u64(a: Values, b: Values, out: Values) -> None:
    """Write the upper 64 bits of the product, by the schoolbook method on 32-bit digits."""
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    carry = a0 * b1 + (middle & low)
    np.add(a1 * b1 + (middle >> half), carry >> half, out)


def _high_s64(a: Values, b: Values, out: Values) -> None:
    """Correct the unsigned upper half: a negative factor counted 2^64 too much."""
    ua, ub, high = np.asarray(a).view("u8"), np.asarray(b).view("u8"), out.view("u8")
    _high_u64(ua, ub, high)
    np.subtract(high, np.where(a < 0, ub, 0).astype("u8") + np.where(b < 0, ua, 0).astype("u8"), high)


def high(type_: str) -> Apply:
    """Return the function that writes the upper half of a product."""
    if type_ in {"u8", "i8"}:
        return _high_u64 if type_ == "u8" else _high_s64
    size = int(type_[1])
    wide = f"{type_[0]}{2 * size}"

    def upper(a: Values, b: Values, out: Values) -> None:
        np.copyto(out, np.multiply(a, b, dtype=wide) >> np.array(8 * size, wide), casting="unsafe")

    return upper


def _wider(type_: str) -> str:
    if type_[1] == "8":
        raise UnknownFormError
    return f"{type_[0]}{2 * int(type_[1])}"


def _product(instruction: PtxInstruction) -> tuple[str, str, Apply]:
    """Return the types of factors and result, and the multiplication."""
    type_ = NUMPY[last_type(instruction, "us")]
    match instruction.modifiers[:-1]:
        case ("lo",):
            return type_, type_, np.multiply
        case ("hi",):
            return type_, type_, high(type_)
        case ("wide",):
            wide = _wider(type_)
            return type_, wide, partial(np.multiply, dtype=wide)
        case _:
            raise UnknownFormError


def _mul(instruction: PtxInstruction) -> Pure:
    type_, result, multiply = _product(instruction)
    return Pure((result,), (type_, type_), multiply)


def _mad(instruction: PtxInstruction) -> Pure:
    type_, result, multiply = _product(instruction)

    def mad(a: Values, b: Values, c: Values, out: Values) -> None:
        product = np.empty_like(out)
        multiply(a, b, product)
        np.add(product, c, out)

    return Pure((result,), (type_, type_, result), mad)


def _mul24(instruction: PtxInstruction) -> Pure:
    type_ = NUMPY[last_type(instruction, "us")]
    if instruction.modifiers[:-1] not in {("lo",), ("hi",)}:
        raise UnknownFormError
    unused = np.array(8, type_)  # bits above the 24
    wide, first = (
        f"{type_[0]}8",
        16 if instruction.modifiers[0] == "hi" else 0,
    )  # of the product's 48 bits, 32 from there

    def mul24(a: Values, b: Values, out: Values) -> None:
        product = np.multiply(a << unused >> unused, b << unused >> unused, dtype=wide)
        np.copyto(out, product >> np.array(first, wide), casting="unsafe")

    return Pure((type_,), (type_, type_), mul24)


def _mad24(instruction: PtxInstruction) -> Pure:
    product = _mul24(instruction)

    def mad24(a: Values, b: Values, c: Values, out: Values) -> None:
        result = np.empty(out.shape, out.dtype)
        product.apply(a, b, result)
        np.add(result, c, out)

    return Pure(product.results, (*product.operands, product.results[0]), mad24)


def _sum(function: np.ufunc) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        type_ = NUMPY[last_type(instruction, "us")]
        only(instruction, "sat")
        if instruction.modifiers[:-1] == ("sat",):
            return Pure((type_,), (type_, type_), partial(_saturating, function))
        return Pure((type_,), (type_, type_), function)

    return decode


def _saturating(function: np.ufunc, a: Values, b: Values, out: Values) -> None:
    limits = np.iinfo(out.dtype)
    np.copyto(out, np.clip(function(a, b, dtype="i8"), limits.min, limits.max), casting="unsafe")


def _same(function: Apply, operands: int, kinds: str = "us") -> Decoder:
    """Return the decoder of an instruction whose operands and result have one type."""

    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction)
        type_ = NUMPY[last_type(instruction, kinds)]
        return Pure((type_,), (type_,) * operands, function)

    return decode


def _sad(a: Values, b: Values, c: Values, out: Values) -> None:
    difference = np.maximum(a, b) - np.minimum(a, b)
    np.add(c, difference.astype(out.dtype), out)


def _dp4a(instruction: PtxInstruction) -> Pure:
    a_type, b_type = (NUMPY[name] for name in instruction.modifiers)
    result = "i4" if "i4" in {a_type, b_type} else "u4"

    def dp4a(a: Values, b: Values, c: Values, out: Values) -> None:
        total = np.array(c)
        for shift in range(0, 32, 8):
            total = total + _byte(a, shift, a_type).astype(result) * _byte(b, shift, b_type).astype(result)
        np.copyto(out, total)

    return Pure((result,), ("u4", "u4", result), dp4a)


def _dp2a(instruction: PtxInstruction) -> Pure:
    half, *types = instruction.modifiers
    a_type, b_type = (NUMPY[name] for name in types)
    result = "i4" if "i4" in {a_type, b_type} else "u4"
    first = {"lo": 0, "hi": 16}[half]  # where the two bytes of b begin

    def dp2a(a: Values, b: Values, c: Values, out: Values) -> None:
        total = np.array(c)
        for number in range(2):
            word = (a >> np.uint32(16 * number)).astype("u2").view(f"{a_type[0]}2").astype(result)
            total = total + word * _byte(b, first + 8 * number, b_type).astype(result)
        np.copyto(out, total)

    return Pure((result,), ("u4", "u4", result), dp2a)


def _byte(values: Values, shift: int, type_: str) -> Values:
    byte: Values = (values >> np.uint32(shift)).astype("u1").view(f"{type_[0]}1")
    return byte


def _divided(a: Values, b: Values) -> tuple[Values, Values, Values]:
    """Return quotient and remainder of the magnitudes, and where `b` is zero."""
    type_ = unsigned_type(np.asarray(a).dtype.str[1:])
    a_size, b_size = (np.asarray(np.absolute(x)).view(type_) for x in (a, b))
    by_zero = b_size == 0
    divisor = np.where(by_zero, np.ones((), type_), b_size)
    return a_size // divisor, a_size % divisor, by_zero


def _quotient(a: Values, b: Values, out: Values) -> None:
    size, _, by_zero = _divided(a, b)
    result = size.view(out.dtype)
    if out.dtype.kind == "i":
        result = np.where((a < 0) != (b < 0), -result, result)
    np.copyto(out, np.where(by_zero, ~np.zeros((), out.dtype), result))


def _remainder(a: Values, b: Values, out: Values) -> None:
    _, size, by_zero = _divided(a, b)
    result = size.view(out.dtype)
    if out.dtype.kind == "i":
        result = np.where(a < 0, -result, result)
    np.copyto(out, np.where(by_zero, a, result))  # a - b·q


def is_clamped(instruction: PtxInstruction) -> bool:
    """Whether a negative result becomes 0: nvcc writes `.relu` after the type, the PTX ISA before it."""
    return "relu" in instruction.modifiers


def _extreme(function: np.ufunc) -> Decoder:
    """Return the decoder of a minimum or maximum, of which a GPU clamps that of 32 signed bits only."""

    def decode(instruction: PtxInstruction) -> Pure:
        words = [word for word in instruction.modifiers if word != "relu"]
        (name,) = words
        clamps = is_clamped(instruction)
        if name[0] not in "us" or (clamps and name != "s32"):
            raise UnknownFormError
        type_ = NUMPY[name]

        def apply(a: Values, b: Values, out: Values) -> None:
            function(a, b, out=out)
            if clamps:
                np.maximum(out, np.zeros((), type_), out=out)

        return Pure((type_,), (type_, type_), apply)

    return decode


PAIRS: Mapping[str, str] = {"u16x2": "u2", "s16x2": "i2"}


def _pairwise(function: np.ufunc) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        words = [word for word in instruction.modifiers if word not in PAIRS]
        (name,) = (word for word in instruction.modifiers if word in PAIRS)
        type_ = PAIRS[name]
        may_clamp = type_ == "i2" and instruction.opcode in {"min", "max"}
        if words not in ([], ["relu"]) or (words and not may_clamp):
            raise UnknownFormError

        def apply(a: Values, b: Values, out: Values) -> None:
            word = np.zeros(out.shape, np.uint32)
            for shift in (np.uint32(0), np.uint32(16)):
                part = function(*((x >> shift).astype(np.uint16).view(type_) for x in (a, b)))
                if words:
                    part = np.maximum(part, np.int16(0))
                word |= part.view(np.uint16).astype(np.uint32) << shift
            np.copyto(out, word)

        return Pure(("u4",), ("u4", "u4"), apply)

    return decode


FORMS: Mapping[str, Decoder] = {
    "add": _sum(np.add),
    "sub": _sum(np.subtract),
    "mul": _mul,
    "mad": _mad,
    "mul24": _mul24,
    "mad24": _mad24,
    "neg": _same(np.negative, 1, "s"),
    "abs": _same(np.absolute, 1, "s"),
    "min": _extreme(np.minimum),
    "max": _extreme(np.maximum),
    "div": _same(_quotient, 2),
    "rem": _same(_remainder, 2),
    "sad": _same(_sad, 3),
    "dp2a": _dp2a,
    "dp4a": _dp4a,
}
PACKED: Mapping[str, Decoder] = {
    "add": _pairwise(np.add),
    "sub": _pairwise(np.subtract),
    "min": _pairwise(np.minimum),
    "max": _pairwise(np.maximum),
}

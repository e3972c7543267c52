"""Half precision and bfloat16, single and packed in pairs: one rounding of the exact result."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np

from shflbench.emulator.opcodes import bfloat16, compare
from shflbench.emulator.opcodes.forms import Decoder, Form, Pure, UnknownFormError, Values, lookup, width
from shflbench.emulator.ptx.syntax import PtxInstruction

NAN = np.uint16(0x7FFF)
ONE = np.ones(())
KNOWN = {"rn", "ftz", "sat", "relu", "NaN", "approx"}
OF_SIZES = {"xorsign", "abs"}
LEAST_NORMAL = {"f16": 2.0**-14, "bf16": 2.0**-126}


def _wide(bits: Values, type_: str) -> Values:
    """Return the numbers as doubles, in which sums and products of halves are exact."""
    words = np.asarray(bits)
    return (bfloat16.to_single(words) if type_ == "bf16" else words.view(np.float16)).astype(np.float64)


def _narrow(values: Values, type_: str) -> Values:
    """Return the 16 bits of `values`, rounded once."""
    if type_ == "f16":
        result = values.astype(np.float16).view(np.uint16)
    else:
        # To odd in single precision first, so that the second rounding sees whether the first was exact.
        single = values.astype(np.float32)
        bits = single.view(np.uint32)
        inexact = (single != values) & (bits & np.uint32(1) == 0) & np.isfinite(single)
        away = np.abs(single) < np.abs(values)
        odd = np.where(inexact, np.where(away, bits + np.uint32(1), bits - np.uint32(1)), bits).view(np.float32)
        result = np.empty(values.shape, np.uint16)
        bfloat16.from_single((), odd, result)
    return np.where(np.isnan(values), NAN, result)


def _flushed(values: Values, type_: str) -> Values:
    """Return zeros with the signs of subnormal numbers, as `.ftz` makes of operands and results."""
    return np.where(np.abs(values) < LEAST_NORMAL[type_], np.copysign(0.0, values), values)


def _operand(bits: Values, type_: str, words: Collection[str]) -> Values:
    values = _wide(bits, type_)
    return _flushed(values, type_) if "ftz" in words else values


def _product_sum(a: Values, b: Values, c: Values) -> Values:
    """Return a·b + c rounded to odd, so that the final rounding is the only one that shows."""
    product = a * b  # exact: at most 22 digits
    total = product + c
    rest = total - product
    error = (product - (total - rest)) + (c - rest)
    bits = total.view(np.int64)
    even = np.isfinite(error) & (error != 0) & (bits & 1 == 0)
    towards_zero = (error > 0) != (total > 0)
    odd: Values = np.where(even, bits + np.where(towards_zero, -1, 1), bits).view(np.float64)
    return odd


def _minimum(a: Values, b: Values) -> Values:
    return np.where(a == b, np.where(np.signbit(a), a, b), np.fmin(a, b))


def _maximum(a: Values, b: Values) -> Values:
    return np.where(a == b, np.where(np.signbit(a), b, a), np.fmax(a, b))


def _propagating(function: Callable[..., Values]) -> Callable[..., Values]:
    return lambda a, b: np.where(np.isnan(a) | np.isnan(b), np.nan, function(a, b))


def _arithmetic(function: Callable[..., Values], operands: int) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        *words, name = instruction.modifiers
        if not set(words) <= KNOWN:
            raise UnknownFormError
        type_, packed = name.removesuffix("x2"), name.endswith("x2")
        formula = _propagating(function) if "NaN" in words else function
        register = "u4" if packed else "u2"

        def half(*values: Values) -> Values:
            result = formula(*(_operand(value, type_, words) for value in values))
            if "sat" in words:
                result = np.fmin(np.fmax(result, 0.0), 1.0) + 0.0
            if "relu" in words:
                result = np.where(result <= 0, 0.0, result)  # -0, too, becomes +0
            rounded = _narrow(result, type_)
            return _narrow(_flushed(_wide(rounded, type_), type_), type_) if "ftz" in words else rounded

        def apply(*arguments: Values) -> None:
            *values, out = arguments
            if packed:
                low = half(*(np.asarray(value).astype("u2") for value in values))
                high = half(*((value >> np.uint32(16)).astype("u2") for value in values))
                np.copyto(out, high.astype("u4") << np.uint32(16) | low)
            else:
                np.copyto(out, half(*values))

        return Pure((register,), (register,) * operands, apply)

    return decode


def _of_sizes(function: Callable[..., Values]) -> Callable[..., Values]:
    """Return the extreme of the sizes, with the sign of the product."""

    def formula(a: Values, b: Values) -> Values:
        size = function(np.abs(a), np.abs(b))
        return np.where(np.signbit(a) ^ np.signbit(b), -size, size)

    return formula


def _extreme(function: Callable[..., Values]) -> Decoder:
    """Return the decoder of a minimum or maximum, which `.xorsign.abs` makes one of the sizes."""
    of_numbers, of_sizes = _arithmetic(function, 2), _arithmetic(_of_sizes(function), 2)

    def decode(instruction: PtxInstruction) -> Form:
        words = OF_SIZES.intersection(instruction.modifiers)
        if not words:
            return of_numbers(instruction)
        if words != OF_SIZES:
            raise UnknownFormError
        rest = tuple(word for word in instruction.modifiers if word not in OF_SIZES)
        return of_sizes(replace(instruction, modifiers=rest))

    return decode


def _sign(change: Callable[[Values, Values], Values]) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        packed = instruction.modifiers[-1].endswith("x2")
        register, sign = ("u4", np.uint32(0x80008000)) if packed else ("u2", np.uint16(0x8000))
        return Pure((register,), (register,), lambda a, out: np.copyto(out, change(a, np.asarray(sign))))

    return decode


def _setp(instruction: PtxInstruction) -> Pure:
    """Return the comparison; of a packed pair, the two results are those of the lower and the upper half."""
    relation_name, *words, name = instruction.modifiers
    if set(words) - {"ftz"}:
        raise UnknownFormError
    type_, packed = name.removesuffix("x2"), name.endswith("x2")
    relation = lookup(compare.FLOAT, relation_name)

    def setp(a: Values, b: Values, *out: Values) -> None:
        if packed:
            parts = [[(x >> np.uint32(shift)).astype("u2") for x in (a, b)] for shift in (0, 16)]
            holds = [relation(_operand(x, type_, words), _operand(y, type_, words)) for x, y in parts]
        else:
            first = relation(_operand(a, type_, words), _operand(b, type_, words))
            holds = [first, ~first]
        for target, value in zip(out, holds, strict=False):
            np.copyto(target, value)

    register = "u4" if packed else "u2"
    return Pure(("?",) * width(instruction.operands[0]), (register, register), setp)


def _set(instruction: PtxInstruction) -> Pure:
    """Return the comparison that gives a number: one or zero, or all bits or none in an integer."""
    relation_name, *words, target, name = instruction.modifiers
    type_, packed = name.removesuffix("x2"), name.endswith("x2")
    if set(words) - {"ftz"} or target not in {name, "u16", "s16", "u32", "s32"} or (packed and target[1:] == "16"):
        raise UnknownFormError
    relation = lookup(compare.FLOAT, relation_name)
    register = "u4" if packed else "u2"
    result = register if target == name else f"u{int(target[1:]) // 8}"
    true = {"f16": 0x3C00, "bf16": 0x3F80}[type_] if target == name else 0xFFFF

    def half(a: Values, b: Values) -> Values:
        holds: Values = relation(_operand(a, type_, words), _operand(b, type_, words))
        return holds

    def set_(a: Values, b: Values, out: Values) -> None:
        if packed:
            low, high = (half(*((x >> np.uint32(shift)).astype("u2") for x in (a, b))) for shift in (0, 16))
            np.copyto(
                out, np.where(high, np.uint32(true << 16), 0) | np.where(low, np.uint32(true), 0), casting="unsafe"
            )
        else:
            whole = true if target == name else np.iinfo(result).max
            np.copyto(out, np.where(half(a, b), np.array(whole, result), np.array(0, result)))

    return Pure((result,), (register, register), set_)


FORMS: Mapping[str, Decoder] = {
    "add": _arithmetic(lambda a, b: _product_sum(a, ONE, b), 2),
    "sub": _arithmetic(lambda a, b: _product_sum(a, ONE, -b), 2),
    "mul": _arithmetic(np.multiply, 2),
    "fma": _arithmetic(_product_sum, 3),
    "min": _extreme(_minimum),
    "max": _extreme(_maximum),
    "neg": _sign(lambda a, sign: a ^ sign),
    "abs": _sign(lambda a, sign: a & ~sign),
    "set": _set,
    "setp": _setp,
    "ex2": _arithmetic(np.exp2, 1),
    "tanh": _arithmetic(np.tanh, 1),
}

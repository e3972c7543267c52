"""Floating-point arithmetic of 32 and 64 bits, rounded as IEEE 754 says."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from shflbench.emulator.opcodes import exact
from shflbench.emulator.opcodes.forms import Apply, Decoder, Pure, UnknownFormError, Values, last_type, only
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

ROUNDINGS = ("rn", "rz", "rm", "rp")
QUIET_NAN_F32 = np.uint32(0x7FFFFFFF)  # the only NaN that single-precision arithmetic makes (PTX ISA, 9.7.3)
SMALLEST_F32 = np.float32(2.0**-126)
_F32 = np.dtype(np.float32)  # faster to compare with than the type


def canonical(out: Values) -> None:
    """Replace every NaN of single precision by the one that GPUs make."""
    if out.dtype != _F32:
        return
    largest = np.maximum.reduce(out, axis=None)
    if largest != largest:  # noqa: PLR0124  (a NaN; faster than `np.isnan` of a scalar)
        out.view("u4")[np.isnan(out)] = QUIET_NAN_F32


def add_modifiers(apply: Apply, instruction: PtxInstruction) -> Apply:
    """Return `apply` with what `.ftz` and `.sat` add, and with NaNs as GPUs make them."""
    flush, saturate = "ftz" in instruction.modifiers, "sat" in instruction.modifiers
    if last_type(instruction) != "f32":
        return apply

    if not flush and not saturate:

        def plain(*arguments: Values) -> None:
            apply(*arguments)
            canonical(arguments[-1])

        return plain

    def wrapped(*arguments: Values) -> None:
        *operands, out = arguments
        if flush:
            operands = [flush_subnormals(x) for x in operands]
        apply(*operands, out)
        if flush:
            np.copyto(out, flush_subnormals(out))
        if saturate:
            np.copyto(out, np.fmin(np.fmax(out, np.float32(0)), np.float32(1)) + np.float32(0))
        canonical(out)

    return wrapped


def flush_subnormals(values: Values) -> Values:
    """Return `values` with subnormal numbers replaced by zeros of the same sign."""
    return np.where(np.abs(values) < SMALLEST_F32, np.copysign(np.float32(0), values), values)


def _arithmetic(function: np.ufunc, formula: Callable[[Fraction, Fraction], Fraction]) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction, *ROUNDINGS, "ftz", "sat", "full", "approx")
        type_ = NUMPY[last_type(instruction, "f")]
        mode = next((word for word in instruction.modifiers if word in ROUNDINGS), "rn")
        apply: Apply = function
        signs = (0, 1) if function in {np.add, np.subtract} else ()
        if mode != "rn":

            def directed(a: Values, b: Values, out: Values) -> None:
                exact.elementwise(formula, function, mode, (a, b), out, signs)

            apply = directed
        return Pure((type_,), (type_, type_), add_modifiers(apply, instruction))

    return decode


def _extreme(function: np.ufunc, of_zeros: np.ufunc) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction, "ftz", "NaN", "xorsign", "abs")
        type_ = NUMPY[last_type(instruction, "f")]
        bits = f"u{type_[1]}"
        signed = "xorsign" in instruction.modifiers
        of_sizes = "abs" in instruction.modifiers
        count = _inputs(instruction)
        if signed != (of_sizes and count == 2):  # noqa: PLR2004
            raise UnknownFormError

        def two(a: Values, b: Values) -> Values:
            chosen: Values = function(a, b)
            result: Values = chosen.view(bits)
            if not np.logical_and.reduce(chosen, axis=None):
                # Equal numbers have equal bits, but for the zeros: -0 counts as less than +0.
                same = of_zeros(*(np.asarray(x).view(bits) for x in (a, b)))
                result = np.where(np.equal(a, b), same, result)
            if "NaN" in instruction.modifiers:
                result = np.where(np.isnan(a) | np.isnan(b), np.array(np.nan, type_).view(bits), result)
            return result

        def extreme(*arguments: Values) -> None:
            *operands, out = arguments
            sizes = [np.abs(x) for x in operands] if of_sizes else operands
            result = two(sizes[0], sizes[1])
            for other in sizes[2:]:
                result = two(result.view(type_), other)
            if signed:  # the sign of a product, the size of the smaller or larger operand
                negative = np.signbit(operands[0]) ^ np.signbit(operands[1])
                result = np.where(negative, result | np.array(1 << (8 * int(type_[1]) - 1), bits), result)
            np.copyto(out.view(bits), result)

        return Pure((type_,), (type_,) * count, add_modifiers(extreme, instruction))

    return decode


def _inputs(instruction: PtxInstruction) -> int:
    """Return the inputs of a minimum or maximum: two, or in single precision three (PTX ISA 8.8, 9.7.3.11)."""
    three = len(instruction.operands) == 4 and instruction.modifiers[-1] == "f32"  # noqa: PLR2004  (and the result)
    return 3 if three else 2


def _sign(change: Callable[[Values, Values], Values]) -> Decoder:
    """Return the decoder of an instruction that only changes the sign bit."""

    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction, "ftz")
        type_ = NUMPY[last_type(instruction, "f")]
        bits = f"u{type_[1]}"
        sign = np.array(1 << (8 * int(type_[1]) - 1), bits)

        def apply(a: Values, out: Values) -> None:
            if "ftz" in instruction.modifiers:
                a = flush_subnormals(a)
            np.copyto(out, change(a, sign))

        return Pure((bits,), (type_ if "ftz" in instruction.modifiers else bits,), apply)

    return decode


def _bits(values: Values, sign: Values) -> Values:
    return np.asarray(values).view(sign.dtype)


def _copysign(instruction: PtxInstruction) -> Pure:
    only(instruction)
    type_ = NUMPY[last_type(instruction, "f")]
    # PTX: the sign of the first operand, the magnitude of the second.
    return Pure((type_,), (type_, type_), lambda a, b, out: np.copysign(b, a, out))


def _unary(function: np.ufunc, formula: Callable[[Fraction], Fraction] | None) -> Decoder:
    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction, *ROUNDINGS, "ftz", "approx")
        type_ = NUMPY[last_type(instruction, "f")]
        mode = next((word for word in instruction.modifiers if word in ROUNDINGS), "rn")
        if mode == "rn":
            return Pure((type_,), (type_,), add_modifiers(function, instruction))
        if formula is None:
            raise UnknownFormError

        def directed(a: Values, out: Values) -> None:
            exact.elementwise(formula, function, mode, (a,), out)

        return Pure((type_,), (type_,), add_modifiers(directed, instruction))

    return decode


def _approximate(function: Callable[[Values], Values]) -> Decoder:
    """Return the decoder of a function that a GPU only approximates; its last digits differ from these."""

    def decode(instruction: PtxInstruction) -> Pure:
        only(instruction, "approx", "ftz")
        type_ = NUMPY[last_type(instruction, "f")]

        def apply(a: Values, out: Values) -> None:
            np.copyto(out, function(np.asarray(a, np.float64)), casting="unsafe")

        return Pure((type_,), (type_,), add_modifiers(apply, instruction))

    return decode


FORMS: Mapping[str, Decoder] = {
    "add": _arithmetic(np.add, lambda a, b: a + b),
    "sub": _arithmetic(np.subtract, lambda a, b: a - b),
    "mul": _arithmetic(np.multiply, lambda a, b: a * b),
    "div": _arithmetic(np.divide, lambda a, b: a / b),
    "min": _extreme(np.fmin, np.bitwise_or),
    "max": _extreme(np.fmax, np.bitwise_and),
    "neg": _sign(lambda a, sign: _bits(a, sign) ^ sign),
    "abs": _sign(lambda a, sign: _bits(a, sign) & ~sign),
    "copysign": _copysign,
    "sqrt": _unary(np.sqrt, None),
    "rcp": _unary(np.reciprocal, lambda a: 1 / a),
    "rsqrt": _approximate(lambda a: 1 / np.sqrt(a)),
    "ex2": _approximate(np.exp2),
    "lg2": _approximate(np.log2),
    "sin": _approximate(np.sin),
    "cos": _approximate(np.cos),
    "tanh": _approximate(np.tanh),
}

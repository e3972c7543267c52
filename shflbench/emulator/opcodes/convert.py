"""Conversions between types: `cvt` to an integer saturates, and maps NaN to a number."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from shflbench.emulator.opcodes import bfloat16, exact, packing
from shflbench.emulator.opcodes.floating import ROUNDINGS, canonical, flush_subnormals
from shflbench.emulator.opcodes.forms import Apply, Decoder, Form, Pure, UnknownFormError, Values
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

TO_INTEGRAL = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
EXACT_AS_DOUBLES = 4  # bytes of the widest integers that are
KNOWN = {*TO_INTEGRAL, *ROUNDINGS, "ftz", "sat", "relu"}


def _cvt(instruction: PtxInstruction) -> Form:
    packed = packing.conversion(instruction)
    if packed is not None:
        return packed
    *words, target, source = instruction.modifiers
    if not set(words) <= KNOWN or target not in NUMPY or source not in NUMPY:
        raise UnknownFormError
    if "relu" in words:
        return _not_negative(instruction)
    if target in {"f16x2", "bf16x2"}:
        return _pair(words, target, source)
    to, of = NUMPY[target], NUMPY[source]
    if "bf16" in {target, source}:
        return bfloat16.conversion(words, target, source, _conversion)
    return Pure((to,), (of,), _conversion(words, of, to))


def _not_negative(instruction: PtxInstruction) -> Form:
    """Return a conversion to halves that turns negative results into zeros (`.relu`)."""
    name = instruction.modifiers[-2]
    if name not in {"f16", "bf16", "f16x2", "bf16x2"}:
        raise UnknownFormError
    plain = _cvt(replace(instruction, modifiers=tuple(word for word in instruction.modifiers if word != "relu")))
    if not isinstance(plain, Pure):  # impossible: conversions are pure
        raise UnknownFormError

    def convert(*arguments: Values) -> None:
        *values, out = arguments
        result = np.empty(out.shape, out.dtype)
        plain.apply(*values, result)
        halves = result.view(np.uint16)
        infinity = np.uint16(0x7C00 if name[0] == "f" else 0x7F80)
        halves[(halves >> np.uint16(15) == 1) & (halves & np.uint16(0x7FFF) <= infinity)] = 0
        np.copyto(out, result)

    return Pure(plain.results, plain.operands, convert)


def _conversion(words: list[str], of: str, to: str) -> Apply:
    """Return the conversion between two NumPy types."""
    if to[0] == "f":
        return _float_to_float(words, of, to) if of[0] == "f" else _integer_to_float(words, of, to)
    return _float_to_integer(words, of, to) if of[0] == "f" else _integer_to_integer(words)


def _integer_to_integer(words: list[str]) -> Apply:
    def convert(a: Values, out: Values) -> None:
        if "sat" in words:
            limits, source = np.iinfo(out.dtype), np.iinfo(np.asarray(a).dtype)
            a = np.clip(a, max(limits.min, source.min), min(limits.max, source.max))
        np.copyto(out, a, casting="unsafe")

    return convert


def _integer_to_float(words: list[str], of: str, to: str) -> Apply:
    mode = next((word for word in words if word in ROUNDINGS), "rn")
    if mode == "rn" and (to != "f2" or of in {"u1", "i1", "u2", "i2"}):
        return lambda a, out: np.copyto(out, a, casting="unsafe")
    if mode == "rn":
        return _integer_to_half
    if int(of[1]) <= EXACT_AS_DOUBLES:
        return lambda a, out: np.copyto(out, _rounded(a, to, mode))

    def convert(a: Values, out: Values) -> None:
        values = np.broadcast_to(a, out.shape)
        result = [exact.round_to(Fraction(value), to, mode) for value in values.ravel().tolist()]
        np.copyto(out, np.array(result).reshape(out.shape), casting="unsafe")

    return convert


def _rounded(a: Values, to: str, mode: str) -> Values:
    """Round numbers that are exact as doubles: to the nearest one, or to its neighbor if that is on the wrong side."""
    with np.errstate(all="ignore"):
        doubles = np.asarray(a, "f8")
        nearest = doubles.astype(to)
        wide = nearest.astype("f8")
        is_wrong, side = {
            "rz": (np.abs(wide) > np.abs(doubles), 0.0),
            "rm": (wide > doubles, -np.inf),
            "rp": (wide < doubles, np.inf),
        }[mode]
        return np.where(is_wrong, np.nextafter(nearest, np.array(side, to)), nearest)


def _integer_to_half(a: Values, out: Values) -> None:
    """Round wide integers once: those that a double does not hold exactly are infinite in half precision.

    NumPy itself converts them by way of single precision, which rounds twice.
    """
    with np.errstate(over="ignore"):
        np.copyto(out, np.asarray(a, "f8"), casting="unsafe")


def _float_to_integer(words: list[str], of: str, to: str) -> Apply:
    modes = [TO_INTEGRAL[word] for word in words if word in TO_INTEGRAL]
    if len(modes) != 1:
        raise UnknownFormError
    limits = np.iinfo(to)
    # PTX ISA, cvt: NaN gives 0, but from or to 64 bits the number of which only the top bit is set.
    of_nan = limits.min if to[0] == "i" else 1 << (limits.bits - 1)
    if of != "f8" and to not in {"u8", "i8"}:
        of_nan = 0
    top = 2.0 ** (limits.bits - (to[0] == "i"))

    def convert(a: Values, out: Values) -> None:
        if "ftz" in words and of == "f4":
            a = flush_subnormals(a)
        whole = modes[0](np.asarray(a, np.float64))
        low, high = whole <= float(limits.min), whole >= top
        inside = np.where(low | high | np.isnan(whole), 0, whole).astype(to)
        bounded = np.where(low, np.array(limits.min, to), np.where(high, np.array(limits.max, to), inside))
        np.copyto(out, np.where(np.isnan(whole), np.array(of_nan, to), bounded))

    return convert


def _float_to_float(words: list[str], of: str, to: str) -> Apply:
    integral = [TO_INTEGRAL[word] for word in words if word in TO_INTEGRAL]
    mode = next((word for word in words if word in ROUNDINGS), "rn")
    flush = "ftz" in words

    def convert(a: Values, out: Values) -> None:
        if flush and of == "f4":
            a = flush_subnormals(a)
        if integral:
            a = integral[0](a)
        if mode == "rn" or int(of[1]) <= int(to[1]):
            np.copyto(out, a, casting="unsafe")
        else:
            np.copyto(out, _rounded(a, to, mode))
        if flush and to == "f4":
            np.copyto(out, flush_subnormals(out))
        if "sat" in words:
            zero, one = np.zeros((), to), np.ones((), to)
            np.copyto(out, np.fmin(np.fmax(out, zero), one) + zero)
        canonical(out)
        if to == "f2":
            out.view("u2")[np.isnan(out)] = 0x7FFF

    return convert


def _pair(words: list[str], target: str, source: str) -> Pure:
    """Return the conversion of two singles into one packed register: the first operand goes to the upper half."""
    if source != "f32":
        raise UnknownFormError
    narrow: Apply = partial(bfloat16.from_single, words) if target == "bf16x2" else _float_to_float(words, "f4", "f2")
    half = "u2" if target == "bf16x2" else "f2"

    def convert(high: Values, low: Values, out: Values) -> None:
        parts = []
        for value in (high, low):
            part = np.empty(out.shape, half)
            narrow(value, part)
            parts.append(part.view("u2").astype("u4"))
        np.copyto(out, parts[0] << np.uint32(16) | parts[1])

    return Pure(("u4",), ("f4", "f4"), convert)


FORMS: Mapping[str, Decoder] = {"cvt": _cvt}

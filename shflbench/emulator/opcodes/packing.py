"""Conversions that pack several numbers into a register, or that exist for matrix instructions: 8-bit floats, tf32."""

from collections.abc import Callable

import numpy as np

from shflbench.emulator.opcodes import bfloat16, small_floats
from shflbench.emulator.opcodes.forms import Form, Pure, UnknownFormError, Values
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

_DROPPED = np.uint32(0x1FFF)  # the 13 bits of a single that tf32 has not (PTX ISA 9.0, 5.2.3)
_HALF = np.uint32(0x1000)
_QUIET_NAN = np.uint32(0x7FFFFFFF)
_SMALL = {"e4m3x2", "e5m2x2"}


def conversion(instruction: PtxInstruction) -> Form | None:
    """Return the form of a packing `cvt`, None for all others."""
    words = instruction.modifiers
    if words[0] == "pack":
        return _pack(words[1:])
    target, source = words[-2:]
    if target == "tf32" and source == "f32":
        return _tf32(set(words[:-2]))
    if target in _SMALL:
        return _to_small(set(words[:-2]), target, source)
    if source in _SMALL and target == "f16x2":
        return _from_small(set(words[:-2]), source)
    return None


def _tf32(words: set[str]) -> Form:
    """Return the rounding to 10 digits: `rna` to nearest, ties away from zero, `rn` ties to even, `rz` to zero."""
    mode = words & {"rna", "rn", "rz"}
    if len(mode) != 1 or words - mode - {"relu", "satfinite"}:
        raise UnknownFormError
    relu = "relu" in words

    def convert(a: Values, out: Values) -> None:
        bits = np.asarray(a, np.float32).view(np.uint32)
        if "rna" in mode:
            rounded = bits + _HALF
        elif "rn" in mode:
            rounded = bits + _HALF - np.uint32(1) + (bits >> np.uint32(13) & np.uint32(1))
        else:
            rounded = bits
        finite = np.isfinite(np.asarray(a))
        result = np.where(finite, rounded & ~_DROPPED, np.where(np.isnan(a), _QUIET_NAN, bits))
        if "satfinite" in words:
            infinite = result & np.uint32(0x7FFFFFFF) == np.uint32(0x7F800000)
            result = np.where(infinite, result - np.uint32(0x2000), result)
        if relu:
            result = np.where((result >> np.uint32(31) == 1) & ~np.isnan(a), np.uint32(0), result)
        np.copyto(out, result)

    return Pure(("u4",), ("f4",), convert)


def _to_small(words: set[str], target: str, source: str) -> Form:
    """Return the conversion to two 8-bit floats; the first operand becomes the upper one."""
    if words - {"rn", "satfinite", "relu"} or "satfinite" not in words:
        raise UnknownFormError
    type_ = target.removesuffix("x2")

    def code(values: Values) -> Values:
        wide = np.asarray(values, np.float64)
        if "relu" in words:
            wide = np.where(wide <= 0, 0.0, wide)
        return small_floats.encode(wide, type_).astype(np.uint16)

    if source == "f32":
        return Pure(("u2",), ("f4", "f4"), lambda a, b, out: np.copyto(out, code(a) << np.uint16(8) | code(b)))
    widen = _WIDEN.get(source)
    if widen is None:
        raise UnknownFormError

    def convert(a: Values, out: Values) -> None:
        word = np.asarray(a)
        low, high = (widen((word >> np.uint32(shift)).astype(np.uint16)) for shift in (0, 16))
        np.copyto(out, code(high) << np.uint16(8) | code(low))

    return Pure(("u2",), ("u4",), convert)


_WIDEN: dict[str, Callable[[Values], Values]] = {
    "f16x2": lambda bits: bits.view(np.float16),
    "bf16x2": bfloat16.to_single,
}


def _from_small(words: set[str], source: str) -> Form:
    if words - {"rn", "relu"}:
        raise UnknownFormError

    def convert(a: Values, out: Values) -> None:
        parts = []
        for shift in (0, 8):
            values = small_floats.numbers((a >> np.uint16(shift) & np.uint16(0xFF)).astype(np.uint8), source[:4])
            if "relu" in words:
                values = np.where(values <= 0, 0.0, values)
            half = values.astype(np.float16).view(np.uint16)
            parts.append(np.where(np.isnan(values), np.uint16(0x7FFF), half).astype(np.uint32))
        np.copyto(out, parts[1] << np.uint32(16) | parts[0])

    return Pure(("u4",), ("u2",), convert)


def _pack(words: tuple[str, ...]) -> Form:
    """Return `cvt.pack.sat`: two integers saturated into the low part, above it the low part of a third operand."""
    saturate, target, source, *third = words
    if saturate != "sat" or source != "s32" or target[0] not in "us" or third not in ([], ["b32"]):
        raise UnknownFormError
    bits = int(target[1:])
    if bits not in {8, 16} or (bits == 8) != bool(third):  # noqa: PLR2004  (the two widths that exist)
        raise UnknownFormError
    limits = np.iinfo(NUMPY[target])

    def packed(a: Values, b: Values) -> Values:
        mask = (1 << bits) - 1
        parts = [np.clip(np.asarray(x), limits.min, limits.max).astype(np.int64) & mask for x in (a, b)]
        word: Values = (parts[0] << bits | parts[1]).astype(np.uint32)
        return word

    if not third:
        return Pure(("u4",), ("i4", "i4"), lambda a, b, out: np.copyto(out, packed(a, b)))
    return Pure(
        ("u4",), ("i4", "i4", "u4"), lambda a, b, c, out: np.copyto(out, c << np.uint32(2 * bits) | packed(a, b))
    )

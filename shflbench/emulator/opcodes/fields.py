"""Bit fields: extracting and inserting them, and finding bits."""

from collections.abc import Mapping

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes.forms import Decoder, Pure, UnknownFormError, Values, last_type, only, unsigned_type
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

NOT_FOUND = 0xFFFFFFFF


def highest_bit(a: Values) -> Values:
    """Return the position of the highest 1, or -1 where there is none."""
    word: Values = np.asarray(a)
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < 8 * word.itemsize:
            word = word | word >> np.array(shift, word.dtype)
    position: Values = np.bitwise_count(word).astype(np.int64) - 1
    return position


def _extract(instruction: PtxInstruction) -> Pure:
    only(instruction)
    type_ = NUMPY[last_type(instruction, "us")]
    bits = 8 * int(type_[1])

    def bfe(a: Values, position: Values, length: Values, out: Values) -> None:
        start, count = (np.asarray(x & np.uint32(0xFF)).astype("i8") for x in (position, length))
        word = np.asarray(a).view(unsigned_type(type_))
        field = _shifted(word, start, bits) & _ones(count, bits)
        if type_[0] == "i":
            last = np.minimum(start + count - 1, bits - 1)
            negative = (_shifted(word, np.maximum(last, 0), bits) & np.ones((), word.dtype)).astype(bool) & (count > 0)
            field = np.where(negative, field | ~_ones(np.minimum(count, np.maximum(bits - start, 0)), bits), field)
        np.copyto(out.view(word.dtype), field)

    return Pure((type_,), (type_, "u4", "u4"), bfe)


def _insert(instruction: PtxInstruction) -> Pure:
    only(instruction)
    type_ = NUMPY[last_type(instruction, "b")]
    bits = 8 * int(type_[1])

    def bfi(field: Values, base: Values, position: Values, length: Values, out: Values) -> None:
        start, count = (np.asarray(x & np.uint32(0xFF)).astype("i8") for x in (position, length))
        mask = _raised(_ones(count, bits), start, bits)
        np.copyto(out, (base & ~mask) | (_raised(np.asarray(field), start, bits) & mask))

    def plain(field: Values, base: Values, position: Values, length: Values, out: Values) -> None:
        if isinstance(position, np.integer) and isinstance(length, np.integer) and position + length <= bits and length:
            mask = np.array(((1 << int(length)) - 1) << int(position), type_)
            shifted = np.left_shift(field, position.astype(type_))
            np.bitwise_and(shifted, mask, shifted)
            np.bitwise_or(shifted, np.bitwise_and(base, ~mask), out)
        else:
            bfi(field, base, position, length, out)

    return Pure((type_,), (type_, type_, "u4", "u4"), plain)


def _ones(count: Values, bits: int) -> Values:
    """Return words of `count` ones in the low bits."""
    kept = np.minimum(count, bits)
    word = np.dtype(f"u{bits // 8}").type
    full = ~word(0)
    ones: Values = np.where(kept == 0, word(0), full >> (bits - np.maximum(kept, 1)).astype(word))
    return ones


def _shifted(word: Values, count: Values, bits: int) -> Values:
    kept = np.minimum(count, bits - 1).astype(word.dtype)
    return np.where(count < bits, word >> kept, np.zeros((), word.dtype))


def _raised(word: Values, count: Values, bits: int) -> Values:
    kept = np.minimum(count, bits - 1).astype(word.dtype)
    return np.where(count < bits, word << kept, np.zeros((), word.dtype))


def _find(instruction: PtxInstruction) -> Pure:
    type_ = NUMPY[last_type(instruction, "us")]
    only(instruction, "shiftamt")
    amount = "shiftamt" in instruction.modifiers

    def bfind(a: Values, out: Values) -> None:
        values = np.asarray(a)
        bits = 8 * values.itemsize
        position = highest_bit(
            (np.where(values < 0, ~values, values) if type_[0] == "i" else values).view(unsigned_type(type_))
        )
        np.copyto(out, np.where((position >= 0) & amount, bits - 1 - position, position), casting="unsafe")

    return Pure(("u4",), (type_,), bfind)


def _nth_set(mask: Values, base: Values, offset: Values, out: Values) -> None:
    """Write the position of the n-th 1 from `base`: upwards for n > 0, downwards for n < 0, `base` itself for 0."""
    shape = out.shape
    words, bases, counts = (np.broadcast_to(x, shape).ravel() for x in (mask, base, offset))
    places = [_fns(int(w), int(b), int(n)) for w, b, n in zip(words, bases, counts, strict=True)]
    np.copyto(out, np.array(places, "u4").reshape(shape))


def _fns(word: int, base: int, count: int) -> int:
    if count == 0:
        return base if base < WARP and word >> base & 1 else NOT_FOUND
    places = range(base, WARP) if count > 0 else range(min(base, WARP - 1), -1, -1)
    ones = [place for place in places if word >> place & 1]
    return ones[abs(count) - 1] if abs(count) <= len(ones) else NOT_FOUND


def _mask(instruction: PtxInstruction) -> Pure:
    """Return `bmsk`: a mask of `b` ones from bit `a` (PTX ISA 9.0, 9.7.1.25)."""
    mode, type_ = instruction.modifiers
    clamp = {"clamp": True, "wrap": False}[mode]
    if type_ != "b32":
        raise UnknownFormError

    def bmsk(position: Values, length: Values, out: Values) -> None:
        start, count = (
            (np.minimum(x, WARP) if clamp else x & np.uint32(WARP - 1)).astype("i8") for x in (position, length)
        )
        np.copyto(out, _raised(_ones(count, 32), start, 32))

    return Pure(("u4",), ("u4", "u4"), bmsk)


def _extend(instruction: PtxInstruction) -> Pure:
    """Return `szext`: the lowest `b` bits of `a`, extended by their sign or by zeros (PTX ISA 9.0, 9.7.1.24)."""
    mode, name = instruction.modifiers
    clamp = {"clamp": True, "wrap": False}[mode]
    type_ = {"u32": "u4", "s32": "i4"}[name]

    def szext(a: Values, length: Values, out: Values) -> None:
        count = (np.minimum(length, WARP) if clamp else length & np.uint32(WARP - 1)).astype("i8")
        word = np.asarray(a).view(np.uint32)
        kept = _ones(count, 32)
        negative = (type_ == "i4") & (count > 0) & (word >> np.maximum(count - 1, 0).astype("u4") & np.uint32(1) == 1)
        np.copyto(out.view(np.uint32), np.where(negative, word | ~kept, word & kept))

    return Pure((type_,), (type_, "u4"), szext)


FORMS: Mapping[str, Decoder] = {
    "bfe": _extract,
    "bfi": _insert,
    "bfind": _find,
    "bmsk": _mask,
    "szext": _extend,
    "fns": lambda _: Pure(("u4",), ("u4", "u4", "i4"), _nth_set),
}

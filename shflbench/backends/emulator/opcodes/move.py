"""Moves between registers, packing and unpacking, and conversions of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Nothing, Pure, UnknownFormError, Values, last_type, unsigned
from shflbench.backends.emulator.memory import WINDOWS, space_of
from shflbench.backends.emulator.ptx import NUMPY, Vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.backends.emulator.forms import Decoder, Form
    from shflbench.backends.emulator.ptx import Instruction


def _copy(a: Values, out: Values) -> None:
    np.copyto(out, a)


def _mov(instruction: Instruction) -> Pure:
    name = last_type(instruction)
    type_ = "?" if name == "pred" else unsigned(NUMPY[name])
    target, source = instruction.operands
    if isinstance(source, Vector):
        return _pack(type_, len(source.items))
    if isinstance(target, Vector):
        return _unpack(type_, len(target.items))
    return Pure((type_,), (type_,), _copy)


def _part(type_: str, count: int) -> str:
    size = int(type_[1]) // count
    if size * count != int(type_[1]) or not size:
        raise UnknownFormError
    return f"u{size}"


def _pack(type_: str, count: int) -> Pure:
    part = _part(type_, count)
    bits = 8 * int(part[1])

    def pack(*values: Values) -> None:
        *parts, out = values
        word = np.zeros(out.shape, type_)
        for place, value in enumerate(parts):
            word |= np.asarray(value).astype(type_) << np.array(bits * place, type_)
        np.copyto(out, word)

    return Pure((type_,), (part,) * count, pack)


def _unpack(type_: str, count: int) -> Pure:
    part = _part(type_, count)
    bits = 8 * int(part[1])

    def unpack(word: Values, *out: Values) -> None:
        pieces = [word >> np.array(bits * place, type_) for place in range(count)]
        for target, piece in zip(out, pieces, strict=True):
            np.copyto(target, piece, casting="unsafe")

    return Pure((part,) * count, (type_,), unpack)


def _cvta(instruction: Instruction) -> Pure:
    *direction, space, name = instruction.modifiers
    if direction not in ([], ["to"]) or space not in WINDOWS:
        raise UnknownFormError
    type_ = NUMPY[name]
    base = np.array(WINDOWS[space], type_)
    shift = np.subtract if direction else np.add
    return Pure((type_,), (type_,), lambda a, out: shift(a, base, out))


def _isspacep(instruction: Instruction) -> Pure:
    (space,) = instruction.modifiers
    if space not in {"global", "shared", "local"}:  # constants and parameters lie among the global addresses here
        raise UnknownFormError
    return Pure(
        ("?",), ("u8",), lambda a, out: np.copyto(out, space_of(np.broadcast_to(a, out.shape)) == WINDOWS[space])
    )


def _ignored(_: Instruction) -> Form:
    return Nothing()


FORMS: Mapping[str, Decoder] = {
    "mov": _mov,
    "cvta": _cvta,
    "isspacep": _isspacep,
    "prefetch": _ignored,
    "prefetchu": _ignored,
}

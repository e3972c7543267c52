"""Moves between registers, packing and unpacking."""

from collections.abc import Mapping

import numpy as np

from shflbench.emulator.opcodes.forms import Decoder, Pure, UnknownFormError, Values, last_type, unsigned_type
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction, Vector


def _copy(a: Values, out: Values) -> None:
    np.copyto(out, a)


def _mov(instruction: PtxInstruction) -> Pure:
    name = last_type(instruction)
    type_ = "?" if name == "pred" else unsigned_type(NUMPY[name])
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


FORMS: Mapping[str, Decoder] = {"mov": _mov}

"""Atomic read-modify-write: what the new value is, given the old one and the operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Access, UnknownFormError, Values, last_type, lookup, unsigned
from shflbench.backends.emulator.opcodes.memory import space_and_rest
from shflbench.backends.emulator.ptx import NUMPY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.backends.emulator.forms import Apply, Decoder
    from shflbench.backends.emulator.ptx import Instruction

UPDATES: Mapping[str, Apply] = {
    "add": lambda old, value: old + value,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": lambda old, value: np.broadcast_to(value, np.shape(old)),
    "cas": lambda old, expected, value: np.where(old == expected, value, old),
    "inc": lambda old, limit: np.where(old >= limit, np.zeros_like(old), old + np.ones_like(old)),
    "dec": lambda old, limit: np.where((old == 0) | (old > limit), limit, old - np.ones_like(old)),
}


def _packed_add(old: Values, value: Values) -> Values:
    """Add two pairs of halves."""
    parts = [(np.asarray(x >> np.uint32(shift)).astype("u2").view("f2")) for shift in (0, 16) for x in (old, value)]
    low, high = ((parts[i].astype("f8") + parts[i + 1]).astype("f2").view("u2").astype("u4") for i in (0, 2))
    packed: Values = high << np.uint32(16) | low
    return packed


def _decode(instruction: Instruction) -> Access:
    space, rest = space_and_rest(tuple(word for word in instruction.modifiers if word not in {"acq_rel", "noftz"}))
    name, type_ = rest[0], last_type(instruction)
    if rest[1:] != [type_]:
        raise UnknownFormError
    in_memory = NUMPY[type_]
    update = _packed_add if (name, type_) == ("add", "f16x2") else lookup(UPDATES, name)
    if type_[0] == "b":
        in_memory = unsigned(in_memory)
    operands = (in_memory,) * (2 if name == "cas" else 1)
    results = (in_memory,) if instruction.opcode == "atom" else ()
    return Access(instruction.opcode, space, in_memory, results, operands, update=update)


FORMS: Mapping[str, Decoder] = {"atom": _decode, "red": _decode}

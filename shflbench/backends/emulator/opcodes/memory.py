"""Loads and stores, in vectors of up to four elements, and atomics: the new value, given the old one."""

from collections.abc import Mapping

import numpy as np

from shflbench.backends.emulator.frontend.ptx import NUMPY, PtxInstruction
from shflbench.backends.emulator.opcodes.forms import (
    Access,
    Apply,
    Decoder,
    UnknownFormError,
    Values,
    last_type,
    lookup,
    unsigned,
)

SPACES = {"global", "shared", "local", "const", "param"}
VECTORS = {"v2": 2, "v4": 4, "v8": 8}
# Caching and ordering hints, which change nothing where there is no cache.
HINTS = {
    *("weak", "volatile", "relaxed", "acquire", "release", "cta", "gpu", "sys", "cluster", "nc", "mmio"),
    *("ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1", "L2", "no_allocate", "evict_first", "evict_last", "evict_normal"),
    *("evict_unchanged", "64B", "128B", "256B"),
}


def _space_and_rest(modifiers: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the state space, empty for generic, and the modifiers that are not hints."""
    spaces = [word for word in modifiers if word in SPACES]
    rest = [word for word in modifiers if word not in HINTS and word not in SPACES]
    return (spaces[0] if spaces else ""), rest


def _move(instruction: PtxInstruction) -> Access:
    type_ = last_type(instruction)
    space, rest = _space_and_rest(instruction.modifiers)
    vector = VECTORS[rest[0]] if len(rest) > 1 and rest[0] in VECTORS else 1
    if len(rest) != 1 + (vector > 1) or (instruction.opcode == "ldu" and space not in {"", "global"}):
        raise UnknownFormError
    in_memory = unsigned(NUMPY[type_]) if NUMPY[type_][0] == "f" else NUMPY[type_]
    values = (in_memory,) * vector
    if instruction.opcode == "st":
        return Access("st", space, in_memory, (), values, vector)
    return Access("ld", space, in_memory, values, (), vector)


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


def _atomic(instruction: PtxInstruction) -> Access:
    space, rest = _space_and_rest(tuple(word for word in instruction.modifiers if word not in {"acq_rel", "noftz"}))
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


FORMS: Mapping[str, Decoder] = {"ld": _move, "ldu": _move, "st": _move, "atom": _atomic, "red": _atomic}

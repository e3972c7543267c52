"""Loads and stores, in vectors of up to four elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.backends.emulator.forms import Access, UnknownFormError, last_type, unsigned
from shflbench.backends.emulator.ptx import NUMPY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.backends.emulator.forms import Decoder
    from shflbench.backends.emulator.ptx import Instruction

SPACES = {"global", "shared", "local", "const", "param"}
VECTORS = {"v2": 2, "v4": 4, "v8": 8}
# Caching and ordering hints, which change nothing where there is no cache.
HINTS = {
    *("weak", "volatile", "relaxed", "acquire", "release", "cta", "gpu", "sys", "cluster", "nc", "mmio"),
    *("ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1", "L2", "no_allocate", "evict_first", "evict_last", "evict_normal"),
    *("evict_unchanged", "64B", "128B", "256B"),
}


def space_and_rest(modifiers: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the state space, empty for generic, and the modifiers that are no hints."""
    spaces = [word for word in modifiers if word in SPACES]
    rest = [word for word in modifiers if word not in HINTS and word not in SPACES]
    return (spaces[0] if spaces else ""), rest


def _decode(instruction: Instruction) -> Access:
    type_ = last_type(instruction)
    space, rest = space_and_rest(instruction.modifiers)
    vector = VECTORS[rest[0]] if len(rest) > 1 and rest[0] in VECTORS else 1
    if len(rest) != 1 + (vector > 1) or (instruction.opcode == "ldu" and space not in {"", "global"}):
        raise UnknownFormError
    in_memory = unsigned(NUMPY[type_]) if NUMPY[type_][0] == "f" else NUMPY[type_]
    values = (in_memory,) * vector
    if instruction.opcode == "st":
        return Access("st", space, in_memory, (), values, vector)
    return Access("ld", space, in_memory, values, (), vector)


FORMS: Mapping[str, Decoder] = {"ld": _decode, "ldu": _decode, "st": _decode}

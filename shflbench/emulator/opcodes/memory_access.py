"""Loads and stores, in vectors of up to eight elements, and atomics: the new value, given the old one."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from shflbench.emulator.opcodes.bfloat16 import from_single, to_single
from shflbench.emulator.opcodes.fences import SCOPES
from shflbench.emulator.opcodes.forms import (
    Access,
    Apply,
    Decoder,
    UnknownFormError,
    Values,
    last_type,
    lookup,
    unsigned_type,
)
from shflbench.emulator.ptx.syntax import NUMPY, PtxInstruction

SPACES = {"global", "shared", "local", "const", "param"}
VECTORS = {"v2": 2, "v4": 4, "v8": 8}
ORDERS = {"weak", "volatile", "mmio", "relaxed", "acquire", "release", "acq_rel", "sc"}
# Caching hints, which change nothing where there is no cache. A prefetch size stands behind its level: `L2::128B`.
HINTS = {
    *("nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1", "L2", "no_allocate"),
    *("evict_first", "evict_last", "evict_normal", "evict_unchanged", "64B", "128B", "256B"),
}


def _divide(modifiers: tuple[str, ...], default: tuple[str, str]) -> tuple[str, str, str, list[str]]:
    """Return the state space, empty for generic, the order, the scope, and the modifiers that are none of these."""
    words = list(modifiers)
    space = next((word for word in words if word in SPACES), "")
    if space:
        at = words.index(space)
        # `shared::cta`, or `shared` alone, is shared memory of the thread's own block.
        of_blocks = space == "shared" and words[at + 1 : at + 2] in (["cta"], ["cluster"])
        words[at : at + 2] = [] if of_blocks else words[at + 1 : at + 2]
    order = next((word for word in words if word in ORDERS), "")
    scope = next((word for word in words if word in SCOPES), "")
    rest = [word for word in words if word not in HINTS and word not in ORDERS and word not in SCOPES]
    if order in {"volatile", "mmio"}:  # like relaxed at the scope of the system (PTX ISA 9.0, 8.4.1)
        return space, order, "sys", rest
    order = order or default[0]
    return space, order, scope or ("" if order == "weak" else default[1]), rest


def is_distributed(instruction: PtxInstruction) -> bool:
    """Return whether an access is to the shared memory of any block of the cluster: `shared::cluster`."""
    words = instruction.modifiers
    return any(pair == ("shared", "cluster") for pair in pairwise(words))


def _move(instruction: PtxInstruction) -> Access:
    type_ = last_type(instruction)
    space, order, scope, rest = _divide(instruction.modifiers, ("weak", ""))
    vector = VECTORS[rest[0]] if len(rest) > 1 and rest[0] in VECTORS else 1
    if len(rest) != 1 + (vector > 1) or (instruction.opcode == "ldu" and space not in {"", "global"}):
        raise UnknownFormError
    in_memory = unsigned_type(NUMPY[type_]) if NUMPY[type_][0] == "f" else NUMPY[type_]
    values, distributed = (in_memory,) * vector, is_distributed(instruction)
    if instruction.opcode == "st":
        return Access("st", space, in_memory, (), values, vector, None, order, scope, distributed=distributed)
    unchanging = "nc" in instruction.modifiers or instruction.opcode == "ldu"
    return Access("ld", space, in_memory, values, (), vector, None, order, scope, unchanging, distributed=distributed)


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


def _half_add(old: Values, value: Values) -> Values:
    """Add halves, given as bits."""
    total: Values = (old.view("f2").astype("f8") + value.view("f2").astype("f8")).astype("f2").view("u2")
    return total


def _brain_add(old: Values, value: Values) -> Values:
    """Add bfloat16 numbers, given as bits.

    Two of them whose sum lies near a tie of bfloat16 differ so little in size that single precision holds the sum.
    """
    total = np.empty(np.shape(old), "u2")
    from_single((), to_single(old) + to_single(value), total)
    return total


def _packed(add: Apply) -> Apply:
    """Return the addition of pairs of 16 bits."""

    def apply(old: Values, value: Values) -> Values:
        low, high = (
            np.asarray(add(*((x >> np.uint32(shift)).astype("u2") for x in (old, value)))).astype("u4")
            for shift in (0, 16)
        )
        packed: Values = high << np.uint32(16) | low
        return packed

    return apply


_HALF_ADDS: Mapping[str, Apply] = {
    "f16": _half_add,
    "bf16": _brain_add,
    "f16x2": _packed(_half_add),
    "bf16x2": _packed(_brain_add),
}
_INTEGERS = {"u32", "s32", "u64", "s64"}
_BITS = {"b32", "b64"}
# Which types each atomic exists for (PTX ISA 9.0, 9.7.13.7).
_TYPES: Mapping[str, set[str]] = {
    "add": {"u32", "s32", "u64", "s64", "f32", "f64", *_HALF_ADDS},
    "min": _INTEGERS,
    "max": _INTEGERS,
    **dict.fromkeys(("and", "or", "xor"), _BITS),
    "exch": _BITS,
    "cas": {"b16", *_BITS},
    "inc": {"u32"},
    "dec": {"u32"},
}


def update_of(name: str, type_: str) -> tuple[Apply, str]:
    """Return what an atomic does to values of a PTX type, and their NumPy type; UnknownFormError if it does not exist.

    Bits are unsigned numbers, and so are numbers in 16 bits.
    """
    if type_ not in lookup(_TYPES, name):
        raise UnknownFormError
    if type_ in _HALF_ADDS:
        return _HALF_ADDS[type_], unsigned_type(NUMPY[type_])
    return UPDATES[name], unsigned_type(NUMPY[type_]) if type_[0] == "b" else NUMPY[type_]


def _atomic(instruction: PtxInstruction) -> Access:
    space, order, scope, rest = _divide(instruction.modifiers, ("relaxed", "gpu"))
    name, type_ = (word for word in rest if word not in {"noftz", "v2", "v4", "v8"})
    vector = next((VECTORS[word] for word in rest if word in VECTORS), 1)
    update, in_memory = update_of(name, type_)
    if vector > 1 and (name != "add" or type_ in _INTEGERS):
        raise UnknownFormError
    operands = (in_memory,) * (2 if name == "cas" else vector)
    results = (in_memory,) * vector if instruction.opcode == "atom" else ()
    distributed = is_distributed(instruction)
    return Access(
        instruction.opcode, space, in_memory, results, operands, vector, update, order, scope, distributed=distributed
    )


FORMS: Mapping[str, Decoder] = {"ld": _move, "ldu": _move, "st": _move, "atom": _atomic, "red": _atomic}

"""The instructions that use what loads from memory that threads share have read, or that pass it on.

A load is complete once an instruction that depends on its value executes. A `mov` of one register does not: it has no
machine code of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from shflbench.emulator.link.program import Op, Program, Slot
from shflbench.emulator.opcodes.forms import Access

_OWN_MEMORY = {"param", "local"}


@dataclass(frozen=True, slots=True)
class FollowedOp:
    """What an op does with registers that hold loaded values, each by its place among these registers."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    passes: bool  # what it reads to what it writes, without using it


@dataclass(frozen=True, slots=True)
class LoadedValues:
    """The ops that read or write registers that hold loaded values, by their ids."""

    registers: int
    ops: Mapping[int, FollowedOp]


NOTHING = LoadedValues(0, {})


def loaded_values(program: Program) -> LoadedValues:
    """Return the ops of `program` by which the values of loads can be followed."""
    ops = list(program.ops())
    places: dict[int, int] = {}
    for op in ops:
        if _loads(op):
            _add(places, op)
    known = -1
    while known < len(places):
        known = len(places)
        for op in ops:
            if _passes(op) and any(number in places for number in _read(op)):
                _add(places, op)
    return LoadedValues(len(places), {id(op): item for op in ops if (item := _followed(op, places)) is not None})


def _loads(op: Op) -> bool:
    """Return whether `op` is a load that is complete only once its value is used: no atomic, and no part of a copy."""
    form, place = op.form, op.place
    if not isinstance(form, Access) or form.kind != "ld" or form.strong or form.asynchronous:
        return False
    return place is None or place.space not in _OWN_MEMORY


def _passes(op: Op) -> bool:
    """Return whether `op` copies a register, or is the part of `ldmatrix` that comes after its loads."""
    return op.instruction.opcode == "$ldmatrix" or (op.instruction.opcode == "mov" and len(op.sources) == 1)


def _add(places: dict[int, int], op: Op) -> None:
    for number in _written(op):
        places.setdefault(number, len(places))


def _followed(op: Op, places: Mapping[int, int]) -> FollowedOp | None:
    reads = tuple(places[number] for number in _read(op) if number in places)
    writes = tuple(places[number] for number in _written(op) if number in places)
    return FollowedOp(reads, writes, _passes(op)) if reads or writes else None


def _read(op: Op) -> set[int]:
    slots = [*op.sources, op.place.base if op.place is not None else None]
    return {slot.number for slot in slots if isinstance(slot, Slot)}


def _written(op: Op) -> set[int]:
    return {slot.number for slot in op.results if slot is not None}

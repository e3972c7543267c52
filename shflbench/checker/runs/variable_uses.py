"""Find out how a kernel uses the `__device__` and `__constant__` variables that it reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.runs.buffer_uses import BufferUse
from shflbench.emulator.link.layout import WORKSPACE
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.emulator.link.program import ModuleVariable, Op

_INTEGERS = {"s": "i", "u": "u", "f": "f"}  # letter of a PTX type → that of an element type


@dataclass(frozen=True, slots=True)
class VariableUse:
    """A variable of the module with what the kernel does with it."""

    variable: ModuleVariable
    use: BufferUse  # CHANGED if the kernel may write it: an earlier launch leaves contents
    is_intermediate: bool  # the kernel writes it, and reads it again
    is_counter: bool  # atomic operations change it
    element: str  # name of its element type; `u8` where accesses do not show it
    image: bytes  # contents with which the program begins

    @property
    def is_initialized(self) -> bool:
        """Whether the file gives it contents other than zeros."""
        return any(self.image)


def variable_uses(linked: LinkedKernel) -> list[VariableUse]:
    """Return the variables that a kernel uses, in the order of the PTX; not those that hold addresses."""
    program = linked.program
    known = [item for item in program.symbols if item.name != WORKSPACE and item.size]
    ops = list(program.ops())
    accesses = [op for op in ops if _is_of_module(op)]
    needed = {slot.number for op in ops for slot in _read_by(op)}
    based = {id(op): linked.slicer.variables(op) for op in accesses}
    unknown = [op for op in accesses if not based[id(op)] and not linked.slicer.pointers(op)]
    result = []
    for item in known:
        mine = [op for op in accesses if item.name in based[id(op)]]
        may_be = [*mine, *(unknown if item.space == "global" else ())]
        is_read = any(slot is not None and slot.number in needed for op in may_be for slot in op.results)
        writes = item.space == "global" and any(_kind(op) not in {"ld", "ldu"} for op in may_be)
        is_counter = any(_kind(op) in {"atom", "red"} for op in may_be)
        image = program.constants[item.start : item.start + item.size].tobytes()
        if is_read or writes:
            use = BufferUse.CHANGED if writes else BufferUse.READ
            result.append(VariableUse(item, use, writes and is_read, is_counter, _element(item, mine), image))
    return result


def _is_of_module(op: Op) -> bool:
    return isinstance(op.form, Access) and op.form.space in {"global", "const", ""}


def _read_by(op: Op) -> Iterator[Slot]:
    """Yield the registers whose values an instruction needs."""
    base = op.place.base if op.place is not None else None
    yield from (slot for slot in (op.guard, base, *op.sources) if isinstance(slot, Slot))


def _kind(op: Op) -> str:
    return op.form.kind if isinstance(op.form, Access) else ""


def _element(variable: ModuleVariable, accesses: list[Op]) -> str:
    """Return the type that the PTX declares or, of an array of bytes, the one type with which it is accessed."""
    if declared := _named(variable.type):
        return declared
    types = {_named(next((word for word in reversed(op.instruction.modifiers) if _named(word)), "")) for op in accesses}
    return types.pop() if len(types) == 1 and "" not in types else "u8"


def _named(type_: str) -> str:
    """Return a PTX type such as `s32` as the name of an element type, `i32`; empty for one of bits."""
    letter = _INTEGERS.get(type_[:1], "")
    return f"{letter}{type_[1:]}" if letter and type_[1:].isdecimal() else ""

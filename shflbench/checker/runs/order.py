"""Find why the results of a correct kernel depend on the order of its threads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Service
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.ptx.syntax import PtxInstruction

_LAST_WINS = {"exch", "cas", "inc", "dec"}


def order_reasons(program: Program, place: Callable[[PtxInstruction], SourceLine]) -> list[str]:
    """Return why results may legally differ between schedules; empty if nothing of the kernel does that.

    `place` returns the user's line that led to an instruction.
    """
    return list(dict.fromkeys(_reasons(program, place)))


def _reasons(program: Program, place: Callable[[PtxInstruction], SourceLine]) -> Iterator[str]:
    read = read_registers(program)
    for op in program.ops():
        form, words = op.form, op.instruction.modifiers
        if isinstance(form, Service) and form.name == "clock":
            yield "it reads a clock"
        elif has_role(op.instruction, OpcodeRole.ORDER):
            yield "it reads the mask of active lanes"
        elif isinstance(form, Access) and form.kind in {"atom", "red"}:
            returns = any(slot is not None and slot.number in read for slot in op.results)
            if words[-1].startswith(("f", "bf")) and "add" in words and not returns:
                where = place(op.instruction).shown(Path.cwd())
                yield f"atomics add floating-point numbers in the order of the threads ({where})"
            elif returns or _LAST_WINS & set(words):
                where = place(op.instruction).shown(Path.cwd())
                yield f"atomics return or store values in the order of the threads ({where})"


def read_registers(program: Program) -> set[int]:
    """Return the registers whose values some instruction uses."""
    slots = (slot for op in program.ops() for slot in (*op.sources, op.guard, op.place.base if op.place else None))
    return {slot.number for slot in slots if isinstance(slot, Slot)}

"""Instructions that linking adds; their opcodes begin with `$` where PTX has none such."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from shflbench.emulator.ptx.syntax import Operand, PtxInstruction, Register


def step(opcode: str, *operands: Operand, guard: Register | None = None) -> PtxInstruction:
    """Return an instruction without a place in the source, its modifiers after dots."""
    name, *modifiers = opcode.split(".")
    return PtxInstruction(name, tuple(modifiers), operands, guard, None, opcode, 0)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The instructions that replace one, and the registers that they need."""

    instructions: tuple[PtxInstruction, ...]
    registers: Mapping[str, str] = field(default_factory=dict)  # name → PTX type

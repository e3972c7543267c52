"""Differences between the emulator and a GPU that matter to a kernel, in sentences for the report."""

from typing import TYPE_CHECKING

from shflbench.checker.opcodes.roles import OpcodeRole, has_role
from shflbench.checker.ptx.syntax import PtxInstruction

if TYPE_CHECKING:
    from shflbench.checker.link.code import FlatCode


def notes(code: "FlatCode") -> tuple[str, ...]:
    """Return one sentence per cause, naming the first line of each."""
    first: dict[str, PtxInstruction] = {}
    for flat in code.instructions:
        if cause := _cause(flat.instruction):
            first.setdefault(cause, flat.instruction)
    return tuple(f"{cause} ({instruction.where})" for cause, instruction in first.items())


def _cause(instruction: PtxInstruction) -> str:
    match instruction.opcode:
        case "$clock":
            return "the kernel reads the clock, which counts instructions here: results that depend on it differ"
        case "$mma":
            return "the kernel multiplies matrices: a GPU may round their sums otherwise"
        case _ if has_role(instruction, OpcodeRole.APPROXIMATE) and "approx" in instruction.modifiers:
            return "the kernel uses approximate functions: a GPU may differ in the last digits"
        case _:
            return ""

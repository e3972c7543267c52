"""Link a kernel, or name everything of it that the emulator cannot run."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from shflbench.emulator.link.expand import expansion
from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Program
from shflbench.emulator.link.reach import find_reached
from shflbench.emulator.link.registers import known_special
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import Function, Module, PtxInstruction, Register, Vector
from shflbench.errors import EmulatorError


class UnsupportedKernelError(EmulatorError):
    """A kernel that the emulator cannot run, with a sentence for each reason."""

    def __init__(self, problems: Sequence[str]) -> None:
        """Keep the sentences, of which there is at least one."""
        super().__init__(problems[0])
        self.problems = tuple(problems)


def link_whole(module: Module, kernel: str) -> Program:
    """Link `kernel` of `module`.

    UnsupportedKernelError names every instruction that the kernel reaches and the emulator cannot run, where `link`
    names the first one.
    """
    names = sorted(find_reached(module, kernel))
    known = [module.functions[name] for name in names if name in module.functions]
    functions = [function for function in known if function.name == kernel or not function.entry]
    if problems := list(dict.fromkeys(problem for function in functions for problem in _problems(function))):
        raise UnsupportedKernelError(problems)
    try:
        return link(module, kernel)
    except EmulatorError as error:
        raise UnsupportedKernelError([error.message]) from error


def _problems(function: Function) -> Iterator[str]:
    for instruction in function.instructions:
        if instruction.opcode == "call":  # linking knows what it reaches
            continue
        parts = expansion(instruction, function.registers)
        for part in (instruction,) if parts is None else parts.instructions:
            try:
                decode(replace(part, text=instruction.text, location=instruction.location, line=instruction.line))
            except EmulatorError as error:
                yield error.message
        for name in _undeclared(function, instruction):
            yield f"the emulator does not know the register `{name}` in `{instruction.shown}` ({instruction.where})"


def _undeclared(function: Function, instruction: PtxInstruction) -> Iterator[str]:
    """Yield the special registers that have no value here."""
    for operand in instruction.operands:
        for item in operand.items if isinstance(operand, Vector) else (operand,):
            if (
                isinstance(item, Register)
                and item.name[0] == "%"
                and item.name not in function.registers
                and not known_special(item.name)
            ):
                yield item.name

"""Flatten a kernel: inline its calls, number its registers, place its variables."""

from dataclasses import dataclass, field, replace

from shflbench.backends.emulator.frontend.ptx import (
    Function,
    Module,
    Operand,
    PtxInstruction,
    Register,
    Symbol,
    Variable,
    Vector,
)
from shflbench.backends.emulator.link.layout import Layout
from shflbench.backends.emulator.link.registers import Numbering
from shflbench.backends.emulator.opcodes.forms import Barrier, Collective
from shflbench.backends.emulator.opcodes.table import decode
from shflbench.errors import EmulatorError

DEEPEST_CALL = 64
MOST_INSTRUCTIONS = 1 << 17  # after inlining


@dataclass(frozen=True, slots=True)
class Frame:
    """One inlined copy of a function: how its names are written in the flat code."""

    function: Function
    prefix: str
    parameters: dict[str, str]  # parameter or result → the caller's variable
    depth: int

    def name(self, name: str) -> str:
        """Return the flat name of a register, label or variable of this copy."""
        return self.parameters.get(name, self.prefix + name)


@dataclass(frozen=True, slots=True)
class FlatInstruction:
    """An instruction of the flat code, in the frame that its names belong to."""

    instruction: PtxInstruction
    frame: Frame
    returns_to: str  # the label behind the call; empty in the kernel itself


@dataclass(slots=True)
class FlatCode:
    """One kernel without calls."""

    kernel: Function
    layout: Layout = field(default_factory=Layout)
    numbering: Numbering = field(default_factory=Numbering)
    instructions: list[FlatInstruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)  # number of the instruction that each stands before


def flatten(module: Module, kernel: str) -> FlatCode:
    """Return the flat code of `kernel`; EmulatorError if the module has no such kernel or calls cannot be inlined."""
    function = module.functions.get(kernel)
    if function is None or not function.entry:
        raise EmulatorError(f"the PTX has no kernel {kernel}", "Compile the kernel anew.")
    code = FlatCode(function)
    for variable in module.variables.values():
        code.layout.add(variable.name, variable)
    _Inliner(module, code).inline(Frame(function, "", {}, 0), "")
    code.layout.finish()
    return code


class _Inliner:
    """Appends functions to flat code, each call replaced by the function that it names."""

    def __init__(self, module: Module, code: FlatCode) -> None:
        self._module, self._code = module, code
        self._calls = 0

    def inline(self, frame: Frame, returns_to: str) -> None:
        function = frame.function
        if frame.depth > DEEPEST_CALL:
            raise EmulatorError(
                f"{function.name} calls itself, or calls nest deeper than {DEEPEST_CALL}",
                "The emulator inlines every call; write the recursion as a loop.",
            )
        for name, type_ in function.registers.items():
            self._code.numbering.declare(frame.prefix + name, type_)
        for variable in function.variables:
            self._declare(frame, variable)
        at: dict[int, list[str]] = {}
        for label, index in function.labels.items():
            at.setdefault(index, []).append(frame.prefix + label)
        for index, instruction in enumerate(function.instructions):
            self._mark(at.get(index, ()))
            if instruction.guard is not None and _waits(instruction):
                self._jump_over(frame, instruction, instruction.guard, returns_to)
            elif instruction.opcode == "call":
                self._call(frame, instruction)
            else:
                self._code.instructions.append(FlatInstruction(instruction, frame, returns_to))
            if len(self._code.instructions) > MOST_INSTRUCTIONS:
                name = self._code.kernel.name
                raise EmulatorError(f"{name} has more than {MOST_INSTRUCTIONS} instructions once its calls are inlined")
        self._mark(at.get(len(function.instructions), ()))

    def _mark(self, labels: list[str] | tuple[()]) -> None:
        for label in labels:
            self._code.labels[label] = len(self._code.instructions)

    def _declare(self, frame: Frame, variable: Variable) -> None:
        # A static variable in shared memory is one for all copies of its function.
        shared = variable.space in {"shared", "global", "const"}
        name = f"{frame.function.name}::{variable.name}" if shared else frame.prefix + variable.name
        if shared:
            frame.parameters[variable.name] = name
        if name not in self._code.layout.places:
            self._code.layout.add(name, variable)

    def _call(self, frame: Frame, call: PtxInstruction) -> None:
        results, name, arguments = _parts(call)
        callee = self._module.functions.get(name)
        if callee is None or callee.entry:
            what = f"calls `{name}`, which the PTX does not hold" if name else "calls through a pointer"
            raise EmulatorError(
                f"the kernel {what} ({call.where})",
                "The emulator does not support device-side printf, assert, malloc or virtual calls.",
            )
        formal = [item.name for item in (*callee.results, *callee.parameters)]
        actual = [frame.name(item) for item in (*results, *arguments)]
        if len(formal) != len(actual):
            raise EmulatorError(f"`{call.text}` passes {len(actual)} values, {name} takes {len(formal)} ({call.where})")
        prefix, after = self._fresh_label()
        self.inline(Frame(callee, prefix, dict(zip(formal, actual, strict=True)), frame.depth + 1), after)
        self._code.labels[after] = len(self._code.instructions)

    def _jump_over(self, frame: Frame, guarded: PtxInstruction, guard: Register, returns_to: str) -> None:
        """Turn `@p op` into `@!p bra after; op; after:`, for an op that threads may wait at."""
        _, after = self._fresh_label()
        negated = replace(guard, negated=not guard.negated)
        branch = replace(guarded, opcode="bra", modifiers=(), operands=(Symbol(after),), guard=negated)
        self._code.instructions.append(FlatInstruction(branch, frame, returns_to))
        plain = replace(guarded, guard=None)
        if plain.opcode == "call":
            self._call(frame, plain)
        else:
            self._code.instructions.append(FlatInstruction(plain, frame, returns_to))
        self._code.labels[after] = len(self._code.instructions)

    def _fresh_label(self) -> tuple[str, str]:
        self._calls += 1
        return f"call{self._calls}.", f"call{self._calls}.after"


def _waits(instruction: PtxInstruction) -> bool:
    """Return whether threads may have to wait at `instruction`, or inside of the function that it calls."""
    return instruction.opcode == "call" or isinstance(decode(instruction), Barrier | Collective)


def _parts(call: PtxInstruction) -> tuple[list[str], str, list[str]]:
    """Return results, function and arguments of `call (results), function, (arguments)`."""
    operands = list(call.operands)
    results = _names(operands.pop(0)) if operands and isinstance(operands[0], Vector) else []
    target = operands.pop(0) if operands else None
    arguments = _names(operands[0]) if operands and isinstance(operands[0], Vector) else []
    return results, target.name if isinstance(target, Symbol) else "", arguments


def _names(operand: Operand) -> list[str]:
    items = operand.items if isinstance(operand, Vector) else ()
    return [item.name for item in items if isinstance(item, Symbol | Register)]

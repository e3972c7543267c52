"""Link a kernel: inline its calls, number its registers, resolve its symbols."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.backends.emulator import layout, lower
from shflbench.backends.emulator.blocks import cut
from shflbench.backends.emulator.constants import propagate
from shflbench.backends.emulator.ptx import Function, Instruction, Register, Symbol, Variable, Vector
from shflbench.backends.emulator.registers import Numbering
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from shflbench.backends.emulator.program import Program
    from shflbench.backends.emulator.ptx import Module, Operand

DEEPEST_CALL = 64
JUMPED_OVER = {"call", "shfl", "vote", "match", "redux", "elect", "activemask", "bar", "barrier"}
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
class Flat:
    """An instruction of the flat code, in the frame that its names belong to."""

    instruction: Instruction
    frame: Frame
    returns_to: str  # the label behind the call; empty in the kernel itself


class Linker:
    """Flattens one kernel of a module."""

    def __init__(self, module: Module, kernel: str) -> None:
        """Prepare; EmulatorError if the module has no such kernel."""
        function = module.functions.get(kernel)
        if function is None or not function.entry:
            raise EmulatorError(f"the PTX has no kernel {kernel}", "Compile the kernel anew.")
        self.module = module
        self.kernel = function
        self.layout = layout.Layout()
        self.numbering = Numbering()
        self.code: list[Flat] = []
        self.labels: dict[str, int] = {}
        self._made = 0

    def link(self) -> Program:
        """Return the linked program."""
        for variable in self.module.variables.values():
            self.layout.add(variable.name, variable)
        self._inline(Frame(self.kernel, "", {}, 0), "")
        self.layout.finish()
        offsets, size = layout.parameter_offsets(self.module, self.kernel.name)
        parameters = dict(zip((item.name for item in self.kernel.parameters), offsets, strict=True))
        ops = [lower.lower(self, number, flat, parameters) for number, flat in enumerate(self.code)]
        return cut(self, propagate(ops), offsets, size)

    def _inline(self, frame: Frame, returns_to: str) -> None:
        function = frame.function
        if frame.depth > DEEPEST_CALL:
            raise EmulatorError(
                f"{function.name} calls itself, or calls nest deeper than {DEEPEST_CALL}",
                "The emulator inlines every call; write the recursion as a loop.",
            )
        for name, type_ in function.registers.items():
            self.numbering.declare(frame.prefix + name, type_)
        for variable in function.variables:
            self._declare(frame, variable)
        at: dict[int, list[str]] = {}
        for label, index in function.labels.items():
            at.setdefault(index, []).append(frame.prefix + label)
        for index, instruction in enumerate(function.instructions):
            self._mark(at.get(index, ()))
            if instruction.guard is not None and instruction.opcode in JUMPED_OVER:
                self._jump_over(frame, instruction, returns_to)
            elif instruction.opcode == "call":
                self._call(frame, instruction)
            else:
                self.code.append(Flat(instruction, frame, returns_to))
            if len(self.code) > MOST_INSTRUCTIONS:
                message = (
                    f"{self.kernel.name} has more than {MOST_INSTRUCTIONS} instructions once its calls are inlined"
                )
                raise EmulatorError(message)
        self._mark(at.get(len(function.instructions), ()))

    def _mark(self, labels: list[str] | tuple[()]) -> None:
        for label in labels:
            self.labels[label] = len(self.code)

    def _declare(self, frame: Frame, variable: Variable) -> None:
        # A static variable in shared memory is one for all copies of its function.
        shared = variable.space in {"shared", "global", "const"}
        name = f"{frame.function.name}::{variable.name}" if shared else frame.prefix + variable.name
        if shared:
            frame.parameters[variable.name] = name
        if name not in self.layout.places:
            self.layout.add(name, variable)

    def _call(self, frame: Frame, call: Instruction) -> None:
        results, name, arguments = _parts(call)
        callee = self.module.functions.get(name)
        if callee is None or callee.entry:
            what = (
                "calls through a pointer"
                if callee is None and not name
                else f"calls `{name}`, which the PTX does not hold"
            )
            raise EmulatorError(
                f"the kernel {what} ({call.where})",
                "The emulator knows no device-side printf, assert, malloc or virtual calls.",
            )
        formal = [item.name for item in (*callee.results, *callee.parameters)]
        actual = [frame.name(item) for item in (*results, *arguments)]
        if len(formal) != len(actual):
            raise EmulatorError(f"`{call.text}` passes {len(actual)} values, {name} takes {len(formal)} ({call.where})")
        prefix, after = self._fresh_label()
        self._inline(Frame(callee, prefix, dict(zip(formal, actual, strict=True)), frame.depth + 1), after)
        self.labels[after] = len(self.code)

    def _jump_over(self, frame: Frame, guarded: Instruction, returns_to: str) -> None:
        """Turn `@p op` into `@!p bra after; op; after:`, for what a thread may wait at."""
        guard = guarded.guard
        if guard is None:
            return
        _, after = self._fresh_label()
        branch = replace(
            guarded,
            opcode="bra",
            modifiers=(),
            operands=(Symbol(after),),
            guard=replace(guard, negated=not guard.negated),
        )
        self.code.append(Flat(branch, frame, returns_to))
        plain = replace(guarded, guard=None)
        if plain.opcode == "call":
            self._call(frame, plain)
        else:
            self.code.append(Flat(plain, frame, returns_to))
        self.labels[after] = len(self.code)

    def _fresh_label(self) -> tuple[str, str]:
        self._made += 1
        return f"call{self._made}.", f"call{self._made}.after"


def _parts(call: Instruction) -> tuple[list[str], str, list[str]]:
    """Return results, function and arguments of `call (results), function, (arguments)`."""
    operands = list(call.operands)
    results = _names(operands.pop(0)) if operands and isinstance(operands[0], Vector) else []
    target = operands.pop(0) if operands else None
    arguments = _names(operands[0]) if operands and isinstance(operands[0], Vector) else []
    return results, target.name if isinstance(target, Symbol) else "", arguments


def _names(operand: Operand) -> list[str]:
    items = operand.items if isinstance(operand, Vector) else ()
    return [item.name for item in items if isinstance(item, Symbol | Register)]


def link(module: Module, kernel: str) -> Program:
    """Link `kernel` of `module`; EmulatorError says what the emulator cannot run."""
    return Linker(module, kernel).link()

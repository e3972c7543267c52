"""Flatten a kernel: inline its calls, number its registers, place its variables."""

from dataclasses import replace

from shflbench.emulator.link.callgraph import CallGraph, call_graph, candidates, inlined_size
from shflbench.emulator.link.code import FlatCode, FlatInstruction, Frame
from shflbench.emulator.link.device_runtime import PREFIX, call_device_runtime
from shflbench.emulator.link.expand import expansion
from shflbench.emulator.link.frames import FRAME
from shflbench.emulator.link.reach import find_reached
from shflbench.emulator.link.runtime_calls import call_runtime
from shflbench.emulator.link.stacked import StackedCalls, exit_of
from shflbench.emulator.link.synthetic import step
from shflbench.emulator.opcodes.forms import Barrier, ClusterBarrier, Collective
from shflbench.emulator.opcodes.services import CALLS
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import (
    Function,
    Module,
    Operand,
    PtxInstruction,
    Register,
    Symbol,
    Variable,
    Vector,
    shorten,
)
from shflbench.errors import EmulatorError

DEEPEST_CALL = 64
MOST_INSTRUCTIONS = 1 << 17  # after inlining


def flatten(module: Module, kernel: str) -> FlatCode:
    """Return the flat code of `kernel`; EmulatorError if the module has no such kernel or a function is missing."""
    function = module.functions.get(kernel)
    if function is None or not function.entry:
        raise EmulatorError(f"the PTX has no kernel {shorten(kernel)}", "Compile the kernel anew.")
    names = find_reached(module, kernel)
    graph = call_graph(module, names)
    stacked = graph.cyclic() | set(graph.addressed)
    if inlined_size(module, kernel, stacked) > MOST_INSTRUCTIONS:  # copies multiply where calls nest
        stacked = frozenset(names)
    code = FlatCode(function)
    _place(code, module, names, graph)
    _Flattener(module, code, graph, stacked).kernel()
    code.layout.finish()
    return code


def _place(code: FlatCode, module: Module, names: set[str], graph: CallGraph) -> None:
    """Place the variables of the module that the kernel reaches, and give functions addresses."""
    for variable in module.variables.values():
        if variable.name in names:
            if variable.external:
                message = f"the kernel uses `{shorten(variable.name)}`, which the PTX declares and does not hold"
                raise EmulatorError(message, "Compile the variable into the same PTX.")
            code.layout.add(variable.name, variable)
    kernels = sorted(name for name in names & module.functions.keys() if module.functions[name].entry)
    for number, name in enumerate((*graph.addressed, *sorted(names & module.declared), *kernels)):
        code.layout.place_function(name, number)


class _Flattener:
    """Appends functions to flat code, each call replaced by the function that it names."""

    def __init__(self, module: Module, code: FlatCode, graph: CallGraph, stacked: frozenset[str]) -> None:
        self._module, self._code, self._graph, self._stacked = module, code, graph, stacked
        self._calls = StackedCalls(module, code, graph)

    def kernel(self) -> None:
        """Append the kernel, and then the functions that are not inlined."""
        kernel = Frame(self._code.kernel, "", {}, 0)
        self._inline(kernel, "")
        frames = []
        if self._calls.waiting:
            self._code.emit(kernel, step("exit"))
        while self._calls.waiting:
            name = self._calls.waiting.pop(0)
            frames.append(self._calls.enter(name))
            self._inline(frames[-1], exit_of(name))
        for frame in frames:
            self._calls.leave(frame)

    def _inline(self, frame: Frame, returns_to: str) -> None:
        function = frame.function
        if frame.depth > DEEPEST_CALL:
            raise EmulatorError(f"the calls of {shorten(function.name)} nest deeper than {DEEPEST_CALL}")
        for name, type_ in function.registers.items():
            self._code.declare(frame, name, type_)
        for variable in function.variables:
            self._declare(frame, variable)
        at = _labels(function)
        for index, instruction in enumerate(function.instructions):
            for label in at.get(index, ()):
                self._code.mark(frame.prefix + label)
            if instruction.guard is not None and _waits(instruction):
                self._jump_over(frame, index, instruction, returns_to)
            else:
                self._append(frame, index, instruction, returns_to)
            if len(self._code.instructions) > MOST_INSTRUCTIONS:
                name = shorten(self._code.kernel.name)
                raise EmulatorError(f"{name} has more than {MOST_INSTRUCTIONS} instructions once its calls are inlined")
        for label in at.get(len(function.instructions), ()):
            self._code.mark(frame.prefix + label)

    def _append(self, frame: Frame, index: int, instruction: PtxInstruction, returns_to: str) -> None:
        """Append one instruction without a guard that threads may wait at."""
        if instruction.opcode == "call":
            self._call(frame, index, instruction)
            return
        parts = expansion(instruction, frame.function.registers)
        if parts is None:
            self._code.instructions.append(FlatInstruction(self._addressed(frame, instruction), frame, returns_to))
            return
        for name, type_ in parts.registers.items():
            self._code.declare(frame, name, type_)
        for part in parts.instructions:
            self._code.emit(frame, part, instruction)

    def _addressed(self, frame: Frame, instruction: PtxInstruction) -> PtxInstruction:
        """Return the instruction with addresses of variables on the stack replaced by registers."""
        if frame.stack is None or instruction.opcode == "bra":
            return instruction
        operands = list(instruction.operands)
        for place, operand in enumerate(operands):
            if isinstance(operand, Symbol) and self._code.on_stack(frame, operand.name):
                register = Register(f"%address{place}")
                self._code.declare(frame, register.name, "b64")
                self._code.emit(frame, step("add.u64", register, Register(FRAME), operand), instruction)
                operands[place] = register
        return replace(instruction, operands=tuple(operands))

    def _declare(self, frame: Frame, variable: Variable) -> None:
        # A static variable in shared memory is one for all copies of its function.
        shared = variable.space in {"shared", "global", "const"}
        name = f"{frame.function.name}::{variable.name}" if shared else frame.prefix + variable.name
        if shared:
            frame.parameters[variable.name] = name
        if name not in self._code.layout.places:
            self._code.layout.add(name, variable)

    def _call(self, frame: Frame, index: int, call: PtxInstruction) -> None:
        results, name, arguments = _parts(call)
        if not name:
            names = candidates(self._module, self._graph, frame.function, call)
            if not names:
                raise EmulatorError(
                    "the kernel calls a function whose address no device code takes: a function pointer cannot be "
                    f"given as an argument ({call.where})",
                    "Choose the function in device code, or make it a template parameter.",
                )
            self._calls.call(frame, index, call, names, (results, arguments))
            return
        callee = self._module.functions.get(name)
        if callee is None and name in CALLS:
            call_runtime(self._code, frame, call, name, results, arguments)
            return
        if callee is None and name.startswith(PREFIX):
            call_device_runtime(self._code, frame, call, name, results, arguments)
            return
        if callee is None or callee.entry:
            dynamic = name.startswith("cuda")
            raise EmulatorError(
                f"the kernel calls `{shorten(name)}`, which the PTX does not hold ({call.where})",
                "Kernels cannot start kernels here." if dynamic else "Compile the function into the same PTX.",
            )
        formal = [item.name for item in (*callee.results, *callee.parameters)]
        actual = [frame.name(item) for item in (*results, *arguments)]
        if len(callee.results) != len(results) or len(formal) != len(actual):
            what = f"passes {len(actual)} values, {shorten(name)} takes {len(formal)}"
            raise EmulatorError(f"`{call.shown}` {what} ({call.where})")
        if name in self._stacked:
            self._calls.call(frame, index, call, [name], (results, arguments))
            return
        _, prefix, after = self._code.fresh_label()
        parameters = dict(zip(formal, actual, strict=True))
        self._inline(Frame(callee, prefix, parameters, frame.depth + 1, frame.stack), after)
        self._code.mark(after)

    def _jump_over(self, frame: Frame, index: int, guarded: PtxInstruction, returns_to: str) -> None:
        """Turn `@p op` into `@!p bra after; op; after:`, for an op that threads may wait at."""
        if guarded.guard is None:  # impossible: only guarded instructions come here
            raise AssertionError(guarded)
        _, _, after = self._code.fresh_label()
        negated = replace(guarded.guard, negated=not guarded.guard.negated)
        branch = replace(guarded, opcode="bra", modifiers=(), operands=(Symbol(after),), guard=negated)
        self._code.instructions.append(FlatInstruction(branch, frame, returns_to))
        self._append(frame, index, replace(guarded, guard=None), returns_to)
        self._code.mark(after)


def _labels(function: Function) -> dict[int, list[str]]:
    """Return the labels before each instruction."""
    at: dict[int, list[str]] = {}
    for label, index in function.labels.items():
        at.setdefault(index, []).append(label)
    return at


def _waits(instruction: PtxInstruction) -> bool:
    """Return whether threads may have to wait at `instruction`, or it is replaced by several."""
    if instruction.opcode == "call" or expansion(instruction) is not None:
        return True
    return isinstance(decode(instruction), Barrier | ClusterBarrier | Collective)


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

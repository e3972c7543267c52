"""Append calls of functions that are not inlined, directly or through pointers, and the code of these functions.

The caller saves what it needs in its frame, copies the arguments into the frame behind, and jumps; the function returns
by comparing the number that the caller has left in the frame with those of all places that call it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from shflbench.emulator.link.callgraph import CallGraph, target_of
from shflbench.emulator.link.code import FlatCode, Frame
from shflbench.emulator.link.frames import FRAME, STACK, STACK_BYTES, StackFrame, live_across, pieces
from shflbench.emulator.link.synthetic import step
from shflbench.emulator.ptx.syntax import (
    Address,
    Immediate,
    Module,
    PtxInstruction,
    Register,
    Symbol,
    Variable,
    Vector,
    shorten,
)
from shflbench.errors import EmulatorError

_WORD, _FLAG, _HALF = Register("%word"), Register("%flag"), Register("%half")
_FRAME = Register(FRAME)


@dataclass(slots=True)
class StackedCalls:
    """The functions that are not inlined, and the calls of them."""

    module: Module
    code: FlatCode
    graph: CallGraph
    waiting: list[str] = field(default_factory=list)  # functions whose code is still to be appended
    _frames: dict[str, StackFrame] = field(default_factory=dict)
    _sites: dict[str, list[tuple[int, str]]] = field(default_factory=dict)  # numbers and labels to return to

    def call(
        self,
        frame: Frame,
        index: int,
        call: PtxInstruction,
        names: Sequence[str],
        variables: tuple[list[str], list[str]],
    ) -> None:
        """Append the call at `index` of a function, or of one of several through a pointer.

        `variables` are the caller's for results and arguments. EmulatorError if their number does not fit.
        """
        callees = [self._frame_of(name) for name in names]
        callee, size = callees[0], frame.stack_size
        results, arguments = variables
        function = callee.function
        if len(results) != len(function.results) or len(arguments) != len(function.parameters):
            what = f"{len(arguments)} values, {shorten(function.name)} takes {len(function.parameters)}"
            raise EmulatorError(f"`{call.shown}` passes {what} ({call.where})")
        number, _, site = self.code.fresh_label()
        for register, type_ in ((_WORD, "b64"), (_FLAG, "pred"), (_HALF, "b32")):
            self.code.declare(frame, register.name, type_)
        needed = size + max(item.size for item in callees)
        self.code.emit(frame, step("$stack", _FRAME, Immediate(needed)), call)
        saved = self._saved(frame, index, names)
        for name in saved:
            self._spill(frame, call, name)
        for variable, argument in zip(callee.function.parameters, arguments, strict=True):
            self._copy(frame, call, variable, (argument, 0), (STACK, size + callee.offsets[variable.name]))
        self.code.emit(frame, step("st.b32", Address(Symbol(STACK), size), Immediate(number)), call)
        self.code.emit(frame, step("add.u64", _FRAME, _FRAME, Immediate(size)), call)
        for name in names:
            self._sites.setdefault(name, []).append((number, site))
        self._jump(frame, call, names)
        self.code.mark(site)
        self.code.emit(frame, step("sub.u64", _FRAME, _FRAME, Immediate(size)), call)
        for variable, result in zip(callee.function.results, results, strict=True):
            self._copy(frame, call, variable, (STACK, size + callee.offsets[variable.name]), (result, 0))
        for name in saved:
            self._fill(frame, call, name)

    def _jump(self, frame: Frame, call: PtxInstruction, names: Sequence[str]) -> None:
        """Append the jump to the function, or to the one of them whose address the pointer holds."""
        if target_of(call):
            self.code.emit(frame, step("bra", Symbol(_entry(names[0]))), call)
            return
        pointer = next(item for item in call.operands if not isinstance(item, Vector))
        for name in names:
            self.code.emit(frame, step("setp.eq.u64", _FLAG, pointer, Symbol(name)), call)
            self.code.emit(frame, step("bra", Symbol(_entry(name)), guard=_FLAG), call)
        self.code.emit(frame, step("$no_function", pointer), call)

    def _copy(
        self,
        frame: Frame,
        call: PtxInstruction,
        variable: Variable,
        source: tuple[str, int],
        target: tuple[str, int],
    ) -> None:
        """Append the copy of a variable from one place (name, byte) to another."""
        for start, width in pieces(variable):
            load, store = (Address(Symbol(name), byte + start) for name, byte in (source, target))
            self.code.emit(frame, step(f"ld.b{8 * width}", _WORD, load), call)
            self.code.emit(frame, step(f"st.b{8 * width}", store, _WORD), call)

    def _saved(self, frame: Frame, index: int, names: Sequence[str]) -> list[str]:
        """Return the registers of the caller that the call may change: those of a function that it may reach."""
        caller = frame.function.name
        if not frame.stacked:
            return []
        again = any(caller == name or caller in self.graph.reachable(name) for name in names)
        return live_across(frame.function, index) if again else []

    def _spill(self, frame: Frame, call: PtxInstruction, name: str) -> None:
        """Append the store of a register to the frame."""
        type_, target, register = frame.function.registers[name], _slot(frame, name), Register(name)
        if type_ == "pred":
            self.code.emit(frame, step("selp.b32", _HALF, Immediate(1), Immediate(0), register), call)
            type_, register = "b32", _HALF
        self.code.emit(frame, step(f"st.{_bits(type_)}", target, register), call)

    def _fill(self, frame: Frame, call: PtxInstruction, name: str) -> None:
        """Append the load of a register from the frame."""
        type_, source, register = frame.function.registers[name], _slot(frame, name), Register(name)
        if type_ == "pred":
            self.code.emit(frame, step("ld.b32", _HALF, source), call)
            self.code.emit(frame, step("setp.ne.u32", register, _HALF, Immediate(0)), call)
        else:
            self.code.emit(frame, step(f"ld.{_bits(type_)}", register, source), call)

    def _frame_of(self, name: str) -> StackFrame:
        if not self._frames:
            self.code.numbering.declare(FRAME, "b64")
            self.code.layout.reserve_stack(STACK_BYTES)
            self.code.layout.places[STACK] = ("stack", 0)
        if name not in self._frames:
            self._frames[name] = StackFrame(self.module.functions[name])
            self.waiting.append(name)
        return self._frames[name]

    def enter(self, name: str) -> Frame:
        """Place the variables of a function and the label of its code, which is to be appended next."""
        stack, prefix = self._frames[name], f"{name}."
        for variable, offset in stack.offsets.items():
            self.code.layout.places[prefix + variable] = ("stack", offset)
        self.code.mark(_entry(name))
        return Frame(stack.function, prefix, {}, 1, stack)

    def leave(self, frame: Frame) -> None:
        """Append the return of a function: a jump to the place whose number lies in its frame."""
        name, site = frame.prefix.removesuffix("."), Register("%site")
        last = frame.function.instructions[-1] if frame.function.instructions else None
        self.code.mark(exit_of(name))
        self.code.declare(frame, site.name, "b32")
        self.code.declare(frame, _FLAG.name, "pred")
        self.code.emit(frame, step("ld.b32", site, Address(Symbol(STACK))), last)
        for number, label in self._sites.get(name, ()):
            self.code.emit(frame, step("setp.eq.u32", _FLAG, site, Immediate(number)), last)
            self.code.emit(frame, step("bra", Symbol(label), guard=_FLAG), last)
        self.code.emit(frame, step("exit"), last)


def _entry(name: str) -> str:
    return f"{name}.entry"


def exit_of(name: str) -> str:
    """Return the label that a function which is not inlined returns to."""
    return f"{name}.return"


def _bits(type_: str) -> str:
    """Return the untyped PTX type of the same size."""
    return f"b{type_.lstrip('busf')}"


def _slot(frame: Frame, register: str) -> Address:
    if frame.stack is None:  # impossible: only functions with a frame save registers
        raise AssertionError(register)
    return Address(Symbol(STACK), frame.stack.saved[register])

"""The flat code of a kernel while it is made: instructions in frames, labels, synthetic instructions."""

from dataclasses import dataclass, field, replace

from shflbench.emulator.link.frames import StackFrame
from shflbench.emulator.link.layout import Layout
from shflbench.emulator.link.registers import Numbering
from shflbench.emulator.ptx.syntax import Function, PtxInstruction


@dataclass(frozen=True, slots=True)
class Frame:
    """One copy of a function: how its names are written in the flat code."""

    function: Function
    prefix: str
    parameters: dict[str, str]  # parameter or result → the caller's variable
    depth: int
    stack: StackFrame | None = None  # of the enclosing function that is not inlined

    @property
    def stacked(self) -> bool:
        """Whether this is the function itself that is not inlined, and not a copy inside of it."""
        return self.stack is not None and self.stack.function is self.function

    @property
    def stack_size(self) -> int:
        """The bytes of the frame that is in use: none in the kernel itself."""
        return self.stack.size if self.stack is not None else 0

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
    heap_bytes: int = 0
    _labels: int = 0  # number of fresh ones

    def emit(self, frame: Frame, part: PtxInstruction, origin: PtxInstruction | None = None) -> None:
        """Append a synthetic instruction; messages show the one that it is a part of."""
        if origin is not None:
            part = replace(part, location=origin.location, text=origin.text, line=origin.line)
        self.instructions.append(FlatInstruction(part, frame, ""))

    def declare(self, frame: Frame, name: str, type_: str) -> None:
        """Declare a register of one copy of a function."""
        self.numbering.declare(frame.prefix + name, type_)

    def mark(self, label: str) -> None:
        """Place a label before the next instruction."""
        self.labels[label] = len(self.instructions)

    def fresh_label(self) -> tuple[int, str, str]:
        """Return the number of a call or jump, a prefix for names of a copy, and a label behind it."""
        self._labels += 1
        return self._labels, f"call{self._labels}.", f"call{self._labels}.after"

    def is_register(self, frame: Frame, name: str) -> bool:
        """Return whether a copy of a function has a register of this name."""
        return frame.prefix + name in self.numbering.numbers

    def on_stack(self, frame: Frame, name: str) -> bool:
        """Return whether a variable lies in a frame on the stack."""
        space, _ = self.layout.places.get(frame.name(name), ("", 0))
        return space == "stack"

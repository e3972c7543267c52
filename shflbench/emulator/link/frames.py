"""Stack frames of functions that are not inlined: they call themselves, or are called through pointers.

The stack of a thread lies in its local memory, behind all static variables, and grows upwards. A hidden register holds
the start of the current frame: the number of the place to return to, parameters, results, local variables, and the
registers that a call inside must not change.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from shflbench.emulator.link.layout import Area
from shflbench.emulator.ptx.syntax import (
    Address,
    Function,
    Operand,
    Pair,
    Register,
    Symbol,
    Variable,
    Vector,
)

FRAME = "%frame"  # the hidden register
STACK = "%stack"  # stands for the start of the current frame in the operands of synthetic instructions
STACK_BYTES = 16 * 1024  # per thread; a GPU has 1 KiB by default, but its frames are smaller
ALIGN = 16
_RETURN_BYTES = 16  # the number of the place to return to, and padding


@dataclass(slots=True)
class StackFrame:
    """The layout of one function's frame: name → byte from its start."""

    function: Function
    offsets: dict[str, int] = field(default_factory=dict)
    saved: dict[str, int] = field(default_factory=dict)  # registers
    size: int = 0

    def __post_init__(self) -> None:
        """Place what the function declares."""
        area = Area(_RETURN_BYTES)
        function = self.function
        local = [item for item in function.variables if item.space in {"local", "param"}]
        for variable in (*function.parameters, *function.results, *local):
            self.offsets[variable.name] = area.place(variable.bytes, max(variable.align, 1))
        for name in sorted(_used(function)):
            self.saved[name] = area.place(8, 8)
        self.size = area.place(0, ALIGN)


def _used(function: Function) -> set[str]:
    """Return the registers that a function's instructions name."""
    names: set[str] = set()
    for instruction in function.instructions:
        names.update(_registers(instruction.operands))
        if instruction.guard is not None:
            names.add(instruction.guard.name)
    return names & function.registers.keys()


def _registers(operands: Iterable[Operand]) -> Iterator[str]:
    for operand in operands:
        match operand:
            case Register(name=name) | Address(base=Register(name=name)):
                yield name
            case Vector(items=items):
                yield from _registers(items)
            case Pair(value=value, predicate=predicate):
                yield from (value.name, predicate.name)


def live_across(function: Function, index: int) -> list[str]:
    """Return the registers that may be needed after the call at `index`: a superset of the live ones."""
    loops = any(
        function.labels.get(operand.name, len(function.instructions)) <= number
        for number, instruction in enumerate(function.instructions)
        for operand in instruction.operands
        if isinstance(operand, Symbol)
    )
    if loops or function.tables:
        return sorted(_used(function))
    before, after = set[str](), set[str]()
    for number, instruction in enumerate(function.instructions):
        names = set(_registers(instruction.operands))
        if instruction.guard is not None:
            names.add(instruction.guard.name)
        if number < index:
            before |= names
        elif number > index:
            after |= names
    return sorted(before & after & function.registers.keys())


def pieces(variable: Variable) -> Iterator[tuple[int, int]]:
    """Yield (byte, size) of the words that a variable is copied in; none is wider than its alignment."""
    start = 0
    while start < variable.bytes:
        size = next(size for size in (8, 4, 2, 1) if size <= variable.align and start + size <= variable.bytes)
        yield start, size
        start += size

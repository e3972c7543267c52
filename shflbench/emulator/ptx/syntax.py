"""The contents of a PTX text as frozen dataclasses: modules, functions, variables, instructions, operands."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath

# PTX type → NumPy type of the same bits. Packed floats and bfloat16 are stored as unsigned bits.
NUMPY: Mapping[str, str] = {
    "pred": "?",
    **{f"{letter}{8 * size}": f"u{size}" for letter in "ub" for size in (1, 2, 4, 8)},
    **{f"s{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    **{f"f{8 * size}": f"f{size}" for size in (2, 4, 8)},
    "f16x2": "u4",
    "bf16": "u2",
    "bf16x2": "u4",
}


_SHOWN = 100  # characters of an instruction or a name in a message


def size_of(type_: str) -> int:
    """Return the bytes of a PTX type; a predicate takes one."""
    return 1 if type_ == "pred" else int(NUMPY[type_][1:])


def shorten(text: str, most: int = _SHOWN) -> str:
    """Return `text` of at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


@cache
def _short(file: str) -> str:
    return "/".join(PurePosixPath(file).parts[-2:])


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the CUDA source, and the call that it was inlined at."""

    file: str
    line: int
    inlined_at: "Location | None" = None

    def __str__(self) -> str:
        """Return `folder/file:line`, the innermost place."""
        return f"{_short(self.file)}:{self.line}"

    @property
    def outermost(self) -> "Location":
        """The place in the kernel itself that led here."""
        return self.inlined_at.outermost if self.inlined_at else self

    @property
    def in_outermost_file(self) -> "Location":
        """The innermost place in the file of the kernel: that of the call for code of a library."""
        file, place = self.outermost.file, self
        while place.file != file and place.inlined_at is not None:
            place = place.inlined_at
        return place


@dataclass(frozen=True, slots=True)
class Register:
    """A register or a special register such as `%tid.x`; `negated` for `!p`."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Immediate:
    """A number: an integer, or the bits of a floating-point constant of `float_size` bytes."""

    value: int
    float_size: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable's address, a label or a function."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """An address in brackets: base and byte offset; `coordinates` follow the base in tensors and textures."""

    base: Register | Symbol | Immediate
    offset: int = 0
    coordinates: "tuple[Operand, ...]" = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b}`, and `(a, b)` of a call."""

    items: "tuple[Operand, ...]"


@dataclass(frozen=True, slots=True)
class Pair:
    """`d|p`: a result and its predicate."""

    value: Register
    predicate: Register


Operand = Register | Immediate | Symbol | Address | Vector | Pair


@dataclass(frozen=True, slots=True)
class PtxInstruction:
    """One PTX instruction: `shfl.sync.idx.b32` is opcode `shfl` with modifiers `sync`, `idx`, `b32`."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Register | None
    location: Location | None
    text: str = field(compare=False)
    line: int  # of the PTX text

    @property
    def shown(self) -> str:
        """The text for messages: names that a compiler made are long."""
        return shorten(self.text)

    @property
    def where(self) -> str:
        """The source line, or the line of the PTX where the compiler names none."""
        return str(self.location) if self.location else f"PTX line {self.line}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable in a state space; `count` is None for an array without bounds."""

    name: str
    space: str
    type: str
    count: int | None = 1
    align: int = 1
    values: tuple[Immediate | Symbol, ...] = ()
    external: bool = False  # declared here, and defined in another file
    pointer: bool = False  # a parameter that is declared with .ptr
    array: bool = False

    @property
    def bytes(self) -> int:
        """Its size; 0 for an array without bounds."""
        return (self.count or 0) * size_of(self.type)


@dataclass(frozen=True, slots=True)
class Prototype:
    """The sizes in bytes of what an indirect call returns and passes."""

    results: tuple[int, ...]
    parameters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A kernel (`entry`) or a device function."""

    name: str
    entry: bool
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    registers: Mapping[str, str]  # unique name → PTX type
    variables: tuple[Variable, ...]  # declared inside, unique names
    instructions: tuple[PtxInstruction, ...]  # branches name unique labels
    labels: Mapping[str, int]  # unique name → index of the instruction after it
    tables: Mapping[str, tuple[str, ...]]  # `.branchtargets`, `.calltargets`: unique name → labels or functions
    prototypes: Mapping[str, "Prototype"] = field(default_factory=dict)  # of indirect calls, by unique name
    directives: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # e.g. `maxntid` → (256, 1, 1)


@dataclass(frozen=True, slots=True)
class Module:
    """One PTX text."""

    functions: Mapping[str, Function]
    variables: Mapping[str, Variable]
    declared: frozenset[str] = frozenset()  # functions whose code is in another file

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels, as the PTX writes them."""
        return tuple(name for name, function in self.functions.items() if function.entry)

"""The content of one file: PTX, kernels, parameters and the launches that the host code performs."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.file_budget import NEVER, FileBudget

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.cuda_sources.source_lines import SourceLine

NEWER_STANDARD = "c++20"
NEGATIVE = 1 << 63  # added to negative bytes of a launch: CUDA takes them as a `size_t`, which no GPU has
ODD = 1000  # stands for a number that host code reads, as one that does not divide evenly
EDGE = 100  # likewise, where a grid is rounded up: a small one, as the last tile of each axis is what it shows
PART_OF_WARP = 80  # likewise, for a block that ends in a part of a warp
TINY = 4  # for the fields of a caller's structure, of which one may have a limit that only the caller knows
Dims: TypeAlias = tuple[int, int, int]
UNKNOWN_CLUSTER: Dims = (0, 0, -1)  # of a launch with attributes that the host code does not determine


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """What a CUDA file is compiled with."""

    arch: str = "sm_90"
    include: tuple[Path, ...] = ()  # as after -I
    define: tuple[str, ...] = ()  # as after -D
    standard: str = "c++17"
    budget: FileBudget = NEVER  # whose time limit ends a compiler
    fast_math: bool = False  # approximate division, square roots and functions of single precision, as with nvcc
    # Compile kernels that launch kernels, for the device runtime, with which a program must link this PTX.
    device_launches: bool = True
    sources: tuple[Path, ...] = ()  # further files of the program, of which the file needs device functions
    before: str = ""  # text that compilers read before the file

    @property
    def words(self) -> tuple[str, ...]:
        """The options that NVRTC and nvcc call alike."""
        return ("--use_fast_math",) if self.fast_math else ()


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a structure, or one element of an array in it."""

    name: str
    type: str  # as C++ writes it
    element: str | None  # NumPy dtype of the value or, for a pointer, of what it points to; None if unknown
    pointer: bool
    offset: int  # bytes from the start of the structure
    size: int  # bytes
    common: str | None = None  # of a pointer to structures: the NumPy dtype that all their fields have


def common_element(fields: Sequence[Field], size: int) -> str | None:
    """Return the NumPy dtype that all fields of a structure of `size` bytes have, without padding; None if none."""
    elements = {None if item.pointer else item.element for item in fields}
    is_full = sum(item.size for item in fields) == size
    return elements.pop() if len(elements) == 1 and is_full else None


@dataclass(frozen=True, slots=True)
class KernelParameter:
    """One parameter of a kernel, as the PTX lays it out and as the source names it."""

    name: str  # `argN` if the source does not name it
    type: str  # as C++ writes it, for example `const float *`; "" if unknown
    element: str | None  # NumPy dtype of the value or, for a pointer, of what it points to; None if unknown
    pointer: bool
    size: int  # bytes of the parameter itself
    offset: int = 0  # bytes from the start of the parameters
    fields: tuple[Field, ...] = ()  # of a structure by value, or of the structure that a pointer points to
    const: bool = False  # for a pointer: the kernel cannot write through it
    lanes: int = 1  # elements per value: 4 for `float4`, whose element is `f4`
    element_bytes: int | None = None  # bytes of one value, or of one value that the pointer points to

    @property
    def common(self) -> str | None:
        """The NumPy dtype that all fields of the structures have to which a pointer points; None if there is none."""
        return common_element(self.fields, self.element_bytes or 0) if self.pointer else None

    @property
    def is_empty(self) -> bool:
        """Whether it is a structure without members by value, such as a function object, which has one byte."""
        return not (self.pointer or self.fields or self.element) and self.size == self.element_bytes == 1


@dataclass(frozen=True, slots=True)
class HostBuffer:
    """An allocation that a launch gets a pointer to."""

    number: int  # among those of the launch, in the order of the arguments
    size: int | None  # bytes; None if the host code does not determine it
    filled: int | None = None  # the byte with which the host code fills all of it before the launch
    contents: bytes | None = None  # all of them, if they are known and not of one byte
    is_sorted: bool = False  # whether they are unknown, but the host code sorts them in ascending order
    first: bytes = b""  # of unknown contents, those that the host code was seen to begin them with
    output: KernelOutput | None = field(default=None, compare=False, repr=False)  # by an earlier launch
    allocation: int | None = field(default=None, compare=False)  # number among those of the whole host code
    changed: int = field(default=0, compare=False)  # when the host code last changed it; 0: a kernel did, or nothing
    is_synthesized: bool = False  # whether the contents follow from contents that nobody gave


@dataclass(frozen=True, slots=True)
class HostArgument:
    """One argument of a launch; each part is None if the host code does not determine it."""

    text: str
    value: int | float | None = None  # of a number, and 0 of a null pointer
    buffer: HostBuffer | None = None  # of a pointer: where it points to
    offset: int = 0  # bytes from the start of the buffer
    fields: tuple[tuple[str, HostArgument], ...] = ()  # of a structure by value

    def field(self, name: str) -> HostArgument | None:
        """Return a field of a structure, or of a structure in it: `grid.x`."""
        fields = dict(self.fields)
        first, _, further = name.partition(".")
        known = fields.get(first)
        if name in fields:
            return fields[name]
        return known.field(further) if known is not None and further else known

    @property
    def values(self) -> tuple[HostArgument, ...]:
        """Itself, or the fields of a structure, in the order in which they lie there."""
        return tuple(value for _, part in self.fields for value in part.values) if self.fields else (self,)


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """One launch in the host code; a part that is not constant is None."""

    grid: Dims | None
    block: Dims | None
    shared_bytes: int | None
    arguments: tuple[HostArgument, ...]
    line: SourceLine
    cooperative: bool = False  # or may be, by an attribute that is not known
    origin: Origin = Origin.HOST  # or `ASSUMED`, if there are such numbers, or `FORCED`, with them or without
    assumed: tuple[tuple[str, int], ...] = ()  # numbers that stand for what the program reads: `argv[1]`
    is_computed: bool = False  # whether earlier launches ran, whose results are the contents of its buffers
    variables: tuple[tuple[str, bytes | None], ...] = ()  # of the device, to which the host code copies; None: unknown
    moment: int = field(default=0, compare=False)  # later ones are larger
    cluster: Dims | None = None  # blocks of a cluster, where an attribute of the launch says so, or `UNKNOWN_CLUSTER`

    @property
    def sizes(self) -> str:
        """Its grid and block, its numbers and the bytes of its buffers, as a text that only equal launches have."""
        values = [item.value if item.buffer is None else item.buffer.size for item in self.values]
        return repr((self.grid, self.block, values))

    @property
    def values(self) -> tuple[HostArgument, ...]:
        """Its arguments, the fields of structures instead of these."""
        return tuple(value for argument in self.arguments for value in argument.values)

    @property
    def is_forced(self) -> bool:
        """Whether the program does not perform it as it is: a condition before it did not hold."""
        return self.origin is Origin.FORCED

    @property
    def takes_parameters(self) -> bool:
        """Whether numbers stand for parameters of a function that nothing in the file calls.

        Its caller passes numbers that fit together, such as a pitch of at least the width.
        """
        return any(is_parameter(name) for name, _ in self.assumed)


def is_rounded_up(launch: HostLaunch, other: HostLaunch) -> bool:
    """Whether the grid of a launch counts a part of a tile as a whole one, as another launch shows its tiles.

    The numbers that stand for what the host code reads have one ratio: 2 blocks for 100, and 4 blocks for 256.
    """
    known = dict(other.assumed)
    ratios = {Fraction(number, known[name]) for name, number in launch.assumed if known.get(name)}
    changed = ratios - {Fraction(1)}
    if len(changed) != 1 or launch.grid is None or other.grid is None:
        return False
    (ratio,) = changed
    sizes = ((size, tiles * ratio) for size, tiles in zip(launch.grid, other.grid, strict=True) if tiles > 1)
    return any(part.denominator > 1 and size == ceil(part) for size, part in sizes)


def is_parameter(name: str) -> bool:
    """Whether an assumed number of this name stands for a parameter of a function, and not for what the program reads.

    The parameter may be a structure, of which it is a field: `p.width`.
    """
    return name.partition(".")[0].isidentifier() and name != "input"


@dataclass(frozen=True, slots=True, eq=False)
class NamedLaunch:
    """A launch in the host code with its kernel."""

    kernel: str  # as a user names it, with its template arguments
    launch: HostLaunch


@dataclass(frozen=True, slots=True)
class StreamLaunch:
    """A launch in a stream of the host code, with its kernel."""

    kernel: str  # as a user names it, with its template arguments
    launch: HostLaunch
    is_dependent: bool = False  # whether it may begin before the launch before it in the stream has ended


@dataclass(frozen=True, slots=True)
class LaunchChain:
    """Launches that follow one another in a stream: all but the first may begin before the one before has ended."""

    launches: tuple[StreamLaunch, ...]  # a single one if the host code does not say what comes before it


@dataclass(frozen=True, slots=True, eq=False)
class HostCall:
    """The first call of a function of the host code: its launches, in order."""

    function: str  # with its class: `Reducer::sum`
    launches: tuple[NamedLaunch, ...]
    is_whole: bool  # whether these are all, and the call performs them for certain


@dataclass(frozen=True, slots=True, eq=False)
class KernelOutput:
    """A buffer after an earlier launch: what the kernel leaves in one of its buffers."""

    by: NamedLaunch
    number: int  # among the buffers of that launch
    sorted_as: str = ""  # the format of `struct` of its elements, if the host code sorts them afterwards


@dataclass(frozen=True, slots=True)
class HostNumber:
    """A number that a variable of the host code begins with, or a macro stands for, and that a user may replace."""

    name: str
    values: tuple[int | float, ...]  # several of a loop over a list
    line: SourceLine


@dataclass(frozen=True, slots=True)
class HostChange:
    """Numbers and template arguments in place of those of the host code, with which it is read."""

    numbers: Mapping[str, int | float] = field(default_factory=dict)  # that variables begin with, by name
    instance: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # template arguments of functions → other ones


@dataclass(frozen=True, slots=True)
class LaunchBounds:
    """Limits that the kernel declares; None where it declares none."""

    max_threads: Dims | None = None  # `.maxntid`, as from `__launch_bounds__`
    required_threads: Dims | None = None  # `.reqntid`
    cluster: Dims | None = None  # `.reqnctapercluster`


@dataclass(frozen=True, slots=True)
class NamedBlock:
    """Threads of a block along each axis as names in the source specify them; 0 where none does."""

    x: int
    y: int
    z: int
    sure: bool  # the names say `block` or `threads`, and not only `tile`


@dataclass(frozen=True, slots=True)
class DeviceVariable:
    """A `__device__`, `__managed__` or `__constant__` variable."""

    name: str  # without namespaces
    size: int  # bytes
    type: str  # of one element, as the PTX has it; of arrays often `b8`


@dataclass(frozen=True, slots=True)
class ParameterPart:
    """What has one value: a parameter, or a field of one that is a structure by value."""

    name: str  # `n`, `view.rows`
    item: KernelParameter | Field
    offset: int  # bytes from the start of the parameters
    place: int  # of the parameter
    field: str = ""  # its name in the structure

    @property
    def plain_name(self) -> str:
        """The name without that of the parameter which is the structure."""
        return self.field or self.name

    def passed(self, arguments: Sequence[HostArgument]) -> HostArgument | None:
        """Return what a launch of the host code passes for it, None if that is not known."""
        if self.place >= len(arguments):
            return None
        return arguments[self.place].field(self.field) if self.field else arguments[self.place]


@dataclass(frozen=True, slots=True)
class SourceKernel:
    """One kernel in the PTX."""

    name: str  # as the user writes it: `reduce<float, 256>`, `tools::copy`
    symbol: str  # in the PTX
    parameters: tuple[KernelParameter, ...]
    place: SourceLine | None  # where its definition begins
    host_launches: tuple[HostLaunch, ...] = ()
    launch_bounds: LaunchBounds = field(default_factory=LaunchBounds)
    sibling: str = ""  # the instance whose arguments it takes, because the host code does not launch it
    chosen: tuple[str, ...] = ()  # template arguments that nothing in the file names: `T = float`
    spellings: tuple[str, ...] = ()  # what else was asked for and is this instance: `copy<Mode::fast>`
    named_block: NamedBlock | None = None
    variables: tuple[DeviceVariable, ...] = ()  # of its file; once it is linked, those that it reaches

    @property
    def parts(self) -> Iterator[ParameterPart]:
        """The parameters, and the fields of each structure instead of it, if it has any."""
        for place, parameter in enumerate(self.parameters):
            if parameter.is_empty:
                continue
            if parameter.pointer or not parameter.fields:
                yield ParameterPart(parameter.name, parameter, parameter.offset, place)
            else:
                for part in parameter.fields:
                    name = f"{parameter.name}.{part.name}"
                    yield ParameterPart(name, part, parameter.offset + part.offset, place, part.name)

    @property
    def offsets(self) -> dict[str, int]:
        """The first bytes of what `--arg` can give: parameters, and the fields of structures as `parameter.field`."""
        offsets = {}
        for parameter in self.parameters:
            offsets[parameter.name] = parameter.offset
            for part in () if parameter.pointer else parameter.fields:
                offsets[f"{parameter.name}.{part.name}"] = parameter.offset + part.offset
        return offsets

    @property
    def pointers(self) -> dict[int, str]:
        """The names of the pointers, also of those in structures, by their first bytes."""
        return {part.offset: part.name for part in self.parts if part.item.pointer}


@dataclass(frozen=True, slots=True)
class SourceNote:
    """One sentence on the file that its report must show."""

    kind: str  # "removed-store", "template", "dialect", …
    text: str
    line: SourceLine | None = None
    left_out: tuple[str, ...] = ()  # symbols of kernels that the note says are not checked


@dataclass(frozen=True, slots=True)
class RejectedKernel:
    """A kernel that the compiler rejects, in a file whose other kernels it accepts."""

    name: str
    place: SourceLine
    sentence: str


@dataclass(frozen=True, slots=True)
class KernelFile:
    """One file: its PTX, the kernels in it, and what the reader must know about them."""

    path: Path
    ptx: str
    kernels: tuple[SourceKernel, ...]
    notes: tuple[SourceNote, ...] = ()
    compiler: str = ""  # `nvcc 13.0` or `NVRTC 13.5`; "" for a PTX file
    files: Mapping[str, Path] = field(default_factory=dict)  # name in the PTX's line table → file of the user
    raises_shared_limit: bool = False  # the host code lets kernels have more than 48 KiB of shared memory
    unoptimized_ptx: str = ""  # with the stores that `ptx` lacks; only if a note reports such a store
    unit: PtxUnit | None = None  # the device code as NVRTC took it; None if another compiler made the PTX
    rejected: tuple[RejectedKernel, ...] = ()
    numbers: tuple[HostNumber, ...] = ()  # of the host code that was run
    host_calls: tuple[HostCall, ...] = ()  # of functions that launch kernels, outer ones first
    chains: tuple[LaunchChain, ...] = ()  # of launches that overlap
    uninstantiated: tuple[RejectedKernel, ...] = ()  # templates that are launched, in no instance that is known
    rejected_instances: tuple[RejectedKernel, ...] = ()  # that the host code names, of templates

"""The classes by which a `pattern.py` declares its data, its variants and what is expected of their code."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from shflbench.core.dimensions import NO_CLUSTER, LaunchDims, complete, dims_text
from shflbench.core.model import WARP, Dtype, Mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from shflbench.core.dimensions import Dims
    from shflbench.core.model import Launch, Target
    from shflbench.patterns.family import Family, Member

    Size = Callable[["Setting"], int]
    Shape = Callable[["Setting"], tuple[Dims, Dims]]  # blocks of the grid, and threads per block
    Counts = Mapping[str, "int | PerWord"]
    CountsOf = Callable[[Dtype, Mapping[str, str]], "Counts | None"]
    DeclaredArgument: TypeAlias = (
        "str | PointerInto | ByValue"  # the name of a buffer or of a scalar, or what is made of them
    )

__all__ = [
    "EXCHANGES",
    "ITERATIONS",
    "LAUNCH_OPTIONS",
    "ByValue",
    "InOut",
    "Input",
    "LaterKernel",
    "Output",
    "Pattern",
    "PerWord",
    "PointerInto",
    "Scalar",
    "Setting",
    "Variant",
    "elements_per_thread",
    "values_of",
]

# Opcodes that move values or wait for other threads: an iteration has exactly those that its variant declares. WARPSYNC
# is not among them: a full-mask __syncwarp leaves no instruction on most architectures.
EXCHANGES = (
    *("SHFL", "STS", "LDS", "BAR", "VOTE", "REDUX", "CREDUX", "MATCH", "ATOMS", "LDL", "STL"),
    *("LDG", "STG", "ATOMG", "RED"),
)

# Options that every pattern has: they change the launch and not the kernel. If they are not set, a case's id does not
# name them. Each has its values, whole numbers or words, and its meaning.
LAUNCH_OPTIONS: Mapping[str, tuple[range | tuple[str, ...], str]] = {
    "extra_shared": (range(2**20), "additional shared memory per block in bytes, which the kernel does not use"),
    "carveout": (
        range(101),
        "preferred shared-memory carveout, in percent of the maximum shared memory per SM",
    ),
    "l2": (
        ("warm", "cold"),
        "L2 cache at a timed launch: `warm` (default), as the previous launch left it; `cold`, without the case's data",
    ),
}

USUAL_DTYPE = "f32"  # that a user means who names none, where the pattern has it
ITERATIONS = "iterations"  # the name of the iteration count among a kernel's arguments


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting of one launch: the element type, the pattern's own options, and the launch shape."""

    dtype: Dtype
    options: Mapping[str, str]
    grid: int  # blocks
    block: int  # threads per block
    dims: LaunchDims | None = None  # None: all blocks and threads along x

    @property
    def grid_dims(self) -> Dims:
        """Blocks of the grid along x, y and z."""
        return self.dims.grid if self.dims else (self.grid, 1, 1)

    @property
    def block_dims(self) -> Dims:
        """Threads per block along x, y and z."""
        return self.dims.block if self.dims else (self.block, 1, 1)

    @property
    def threads(self) -> int:
        """Threads of the whole launch."""
        return self.grid * self.block

    @property
    def warps(self) -> int:
        """Warps of the whole launch."""
        return self.threads // WARP

    def whole(self, option: str) -> int:
        """Return an option's value as a whole number."""
        return int(self.options[option])


@dataclass(frozen=True, slots=True)
class UsualSetting:
    """The setting of a pattern that a user means who names none; an empty launch is any."""

    dtype: str
    launch: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Buffer:
    """An array in global memory: `per_thread` elements per thread, or as many as `elements` returns."""

    name: str
    per_thread: int = 1
    elements: Size | None = None
    dtype: str = ""  # of its elements, e.g. "i32"; empty: the dtype of the case
    variable: str = ""  # the `__device__` or `__constant__` variable that it is, as PTX names it; empty: an argument

    def count(self, setting: Setting) -> int:
        """Return the number of elements."""
        return self.elements(setting) if self.elements else self.per_thread * setting.threads


@dataclass(frozen=True, slots=True)
class Input(_Buffer):
    """A buffer that the kernel reads."""


@dataclass(frozen=True, slots=True)
class InOut(_Buffer):
    """A buffer that the kernel reads and writes in place."""

    restored: bool = False  # each timed launch gets the input, which is copied back before; else what the last one left
    unordered: bool = False  # compared row by row of the reference's array, each row as a multiset
    compared: bool = True  # with the reference; False for what only some of the variants change
    relative_tolerance: float | None = None  # of its numbers; None: that of the pattern


@dataclass(frozen=True, slots=True)
class Output(_Buffer):
    """A buffer that the kernel writes."""

    initial: int | None = None  # of every element, before a launch that is verified; None: arbitrary bytes
    unordered: bool = False  # compared row by row of the reference's array, each row as a multiset
    compared: bool = True  # with the reference; False for what one kernel of a variant writes for a later one
    relative_tolerance: float | None = None  # of its numbers; None: that of the pattern


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that the kernel takes by value."""

    name: str
    value: Callable[[Setting], float]
    dtype: str = "i32"  # empty: the dtype of the case
    other: float | None = None  # the value beside the inputs of `varied_inputs`; None: the same


@dataclass(frozen=True, slots=True)
class PointerInto:
    """An argument that points into a buffer, so many bytes behind its start: `data + n` in C++."""

    name: str  # of the buffer
    byte: Size


@dataclass(frozen=True, slots=True)
class ByValue:
    """An argument that is a structure, which the kernel takes by value; bytes of no field are 0."""

    name: str
    size: int  # bytes, with padding
    fields: tuple[tuple[int, str | PointerInto], ...]  # the first byte of each, and the buffer or the scalar in it


def values_of(arguments: Iterable[DeclaredArgument]) -> Iterator[str | PointerInto]:
    """Yield the buffers and scalars among arguments, also those in structures."""
    for argument in arguments:
        if isinstance(argument, ByValue):
            yield from (value for _, value in argument.fields)
        else:
            yield argument


@dataclass(frozen=True, slots=True)
class PerWord:
    """A count per 32-bit word of the element: a 64-bit shuffle is two SHFL."""

    count: int


def elements_per_thread(count: int) -> Size:
    """Return the shared memory of a kernel that keeps `count` elements per thread, in bytes per block."""
    return lambda at: at.block * count * at.dtype.size


NO_SHARED = elements_per_thread(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterKernel:
    """A kernel that follows the first one of a variant, over the same buffers and scalars."""

    kernel: str  # its name in C++
    dims: Shape
    arguments: tuple[DeclaredArgument, ...]
    shared: Size = field(default=NO_SHARED)  # dynamic shared memory, bytes per block
    opcodes: tuple[str, ...] = ()  # that its machine code must have, e.g. "ACQBULK"
    programmatic: bool = False  # it may begin when the kernel before lets it, and not only after its end
    cluster: Dims = NO_CLUSTER  # blocks of a cluster, where the kernel does not declare them


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to do a pattern: a kernel, by default the template `<pattern>_<variant>` of the element type.

    Others may follow it, and it may have a launch shape of its own: one larger block instead of several, or clusters.
    """

    name: str
    mechanism: Mechanism
    summary: str
    safe: bool = True
    baseline: bool = False
    dtypes: tuple[str, ...] = ()  # empty: all dtypes of the pattern
    only: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # option → the values that this variant supports; empty: all
    needs: str = ""  # the first architecture that supports it, e.g. "sm_80"
    needs_cccl: tuple[int, int] = (0, 0)  # the first version of CCCL that has what its kernel calls, e.g. (3, 4)
    source: str = "kernels.cu"  # the file of its kernel, relative to the pattern's folder
    kernel: str = ""  # its name in C++ if it is not the default, e.g. "reduce5<{T}, 256>"; {T} is the element type
    arguments: tuple[DeclaredArgument, ...] = ()  # of the kernel; empty: the buffers, the scalars, `iterations`
    zeroed: tuple[str, ...] = ()  # outputs that it adds to: 0 before a launch that is verified, not `initial`
    shared: Size = field(default=NO_SHARED)  # dynamic shared memory, bytes per block
    dims: Shape | None = None  # of its first kernel's launch; None: those of the case
    cluster: Dims = NO_CLUSTER  # blocks of a cluster of that launch, where the kernel does not declare them
    cooperative: bool = False  # its first kernel's blocks wait for one another: the launch fails unless all fit
    later: tuple[LaterKernel, ...] = ()  # kernels of the same file that follow, timed together; with `one_pass` only
    graph: bool = False  # its kernels are launched together, as a CUDA graph; plain launches of `one_pass` only
    per_iteration: Counts | CountsOf | None = None  # expected instructions; None: reported, not checked
    opcodes: tuple[str, ...] = ()  # that its machine code must have if its mechanism does not say which, e.g. "BAR.ARV"
    may_fold: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # option values for which the compiler may drop the mechanism
    atomics: Size | None = None  # atomic operations of a launch on one address of global memory, at least
    other_inputs: bool = False  # verified with those of the function `other_inputs`, too: see `measure.verify_again`
    untrusted: bool = False  # somebody else's: launched once more after it was timed, as the kernels of a file are
    waits_for_memory: bool = False  # its loop waits for L2 or DRAM: `compare` allows for other physical pages
    other_layout: bool = False  # its data are laid out otherwise: it shows what the others could reach, replacing none

    def has(self, dtype: str, options: Mapping[str, str]) -> bool:
        """Whether the variant supports this dtype and these options."""
        return (not self.dtypes or dtype in self.dtypes) and all(
            options.get(name) in values for name, values in self.only.items()
        )

    def launch_dims(self, setting: Setting) -> LaunchDims | None:
        """Return the dimensions of its first kernel's launch; None: those of the setting, all along x."""
        return LaunchDims(*self.dims(setting)) if self.dims else setting.dims

    @property
    def takes_shared(self) -> bool:
        """Whether its launches may take dynamic shared memory."""
        return self.shared is not NO_SHARED or any(item.shared is not NO_SHARED for item in self.later)

    def folds(self, options: Mapping[str, str]) -> bool:
        """Whether the compiler may drop the mechanism."""
        return any(options.get(name) in values for name, values in self.may_fold.items())

    def expected_counts(self, dtype: Dtype, options: Mapping[str, str]) -> dict[str, int] | None:
        """Return the expected data-movement instructions per iteration, or None if none are declared."""
        counts = self.per_iteration(dtype, options) if callable(self.per_iteration) else self.per_iteration
        if counts is None:
            return None
        return {
            opcode: count.count * dtype.words if isinstance(count, PerWord) else count
            for opcode, count in counts.items()
        }

    def unsupported_reason(self, target: Target) -> str:
        """Return why this variant cannot be compiled for `target`, empty if it can."""
        if self.needs and _generation(target.arch) < _generation(self.needs):
            return f"{self.name} needs {self.needs} or newer, and this is {target.arch}"
        if target.cccl < self.needs_cccl:
            wanted, present = ("{}.{}".format(*version) for version in (self.needs_cccl, target.cccl))
            known = f"this is {present}" if any(target.cccl) else "there is none"
            return f"{self.name} needs CCCL {wanted} or newer, and {known}"
        return ""


def complete_block(block: int | tuple[int, ...]) -> Dims:
    """Return the sizes of one of `Pattern.blocks` along x, y and z."""
    return complete((block,) if isinstance(block, int) else block)


def _generation(arch: str) -> int:
    return int(arch.removeprefix("sm_").rstrip("af"))  # sm_90a and sm_100f are sm_90 and sm_100 with more features


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One communication pattern: what it does, its data, and the variants to compare."""

    summary: str
    source: str
    buffers: tuple[Input | InOut | Output, ...]
    variants: tuple[Variant, ...]
    scalars: tuple[Scalar, ...] = ()
    dtypes: tuple[str, ...] = ("f32", "f64", "i32", "i64")
    options: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # axes of its own: name → values, default first
    unroll: int = 16  # iterations per pass through the compiled loop, equal for every variant
    one_pass: bool = False  # a launch passes once over its data: no timed loop, no argument `iterations`
    bytes_moved: Size | None = None  # useful bytes that a launch reads and writes, equal for every variant
    dimensions: int = 1  # of the launches that its kernels support, at most: 1, 2 or 3
    blocks: tuple[int | tuple[int, ...], ...] = ()  # that its kernels support: 256, (16, 16); empty: any whole warps
    static_block: bool = False  # kernels are compiled for each number of threads per block, their constant BLOCK
    launch_bounds: bool = False  # kernels say LAUNCH_BOUNDS and are compiled for each block size and blocks per SM
    reference_variant: str = ""  # the variant whose results are the reference, if there is no `reference`
    relative_tolerance: float = 0.0  # largest allowed error of floating-point outputs; 0: `tolerance`
    fixed_sizes: bool = False  # the buffers do not grow with the launch: it runs whole or not at all
    compiler_options: tuple[str, ...] = ()  # of NVRTC, beside the usual ones, e.g. "-std=c++20"
    varied: tuple[str, ...] = ()  # buffers with other contents in the inputs of `varied_inputs`
    not_compared: tuple[str, ...] = ()  # what verification leaves out, as noun phrases
    representative: Mapping[str, str] = field(
        default_factory=dict
    )  # `dtype`, `launch`, values of options: the setting that stands for the pattern in every answer; see `usual`
    also_called: tuple[str, ...] = ()  # other names, for which a command suggests this pattern
    notes: str = ""  # what was corrected in a published kernel, and what a reader must know
    family: Family[Variant] | None = None  # further variants, which run where they are named

    def variant(self, name: str) -> Variant:
        """Return the variant or the member of the family called `name`; KeyError if there is none."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        return self.members[name].variant

    def has_variant(self, name: str) -> bool:
        """Whether `variant` knows the name."""
        return any(variant.name == name for variant in self.variants) or self.has_member(name)

    def has_member(self, name: str) -> bool:
        """Whether the family has a member called `name`; the first call of a pattern with a family takes 10 ms."""
        return name in self.members

    @property
    def members(self) -> Mapping[str, Member[Variant]]:
        """The members of the family by name, if it has one."""
        return self.family.members if self.family else {}

    @property
    def baseline(self) -> Variant:
        """The variant that the others are compared with."""
        return next(variant for variant in self.variants if variant.baseline)

    @property
    def usual(self) -> UsualSetting:
        """The setting that a user means who names none: the representative one, else defaults."""
        named = dict(self.representative)
        dtype = named.pop("dtype", USUAL_DTYPE if USUAL_DTYPE in self.dtypes else self.dtypes[0])
        launch = named.pop("launch", "")
        return UsualSetting(dtype, launch, {name: values[0] for name, values in self.options.items()} | named)

    @property
    def option_choices(self) -> tuple[dict[str, str], ...]:
        """The default options, then each other value of each option alone: every value once, not the product."""
        default = {name: values[0] for name, values in self.options.items()}
        others = [{**default, name: value} for name, values in self.options.items() for value in values[1:]]
        return (default, *others)

    @property
    def block_sizes(self) -> tuple[int, ...]:
        """The threads of each block that its kernels support; empty: any whole warps."""
        return tuple(dict.fromkeys(prod(complete_block(block)) for block in self.blocks))

    def unsupported_launch(self, launch: Launch) -> str:
        """Return which launches are allowed instead of one that its kernels do not support; empty if they do."""
        block = launch.dims.block if launch.dims else (launch.block, 1, 1)
        if launch.dims and launch.dims.dimensions > self.dimensions:
            return f"launches of {'one dimension' if self.dimensions == 1 else 'at most two dimensions'}"
        supported = [complete_block(size) for size in self.blocks]
        if supported and block not in supported:
            return f"blocks of {' or '.join(map(dims_text, supported))} threads"
        return ""

    def constants(self, options: Mapping[str, str], block: int) -> Mapping[str, str]:
        """Return what kernels are compiled for: the options and, with `static_block`, the block size as `block`."""
        return {**options, "block": str(block)} if self.static_block else options

    def arguments(self, variant: Variant) -> tuple[DeclaredArgument, ...]:
        """Return what a variant's kernel takes, in its order."""
        pointers = (buffer.name for buffer in self.buffers if not buffer.variable)
        names = [*pointers, *(scalar.name for scalar in self.scalars)]
        return variant.arguments or tuple(names if self.one_pass else [*names, ITERATIONS])

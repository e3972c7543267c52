"""The words in which a pattern's `pattern.py` declares what is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.model import WARP, Dtype, Mechanism

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Size = Callable[["Setting"], int]
    Counts = Mapping[str, "int | PerWord"]
    CountsOf = Callable[[Dtype, Mapping[str, str]], "Counts | None"]

__all__ = [
    "EXCHANGES",
    "ITERATIONS",
    "LAUNCH_OPTIONS",
    "InOut",
    "Input",
    "Output",
    "Pattern",
    "PerWord",
    "Scalar",
    "Setting",
    "Variant",
    "elements_per_thread",
]

# Opcodes that move values or wait for other threads: a trip has as many as its variant promises, and none that it does
# not. WARPSYNC is not among them: a full-mask __syncwarp leaves no instruction on most architectures.
EXCHANGES = (
    *("SHFL", "STS", "LDS", "BAR", "VOTE", "REDUX", "CREDUX", "MATCH", "ATOMS", "LDL", "STL"),
    *("LDG", "STG", "ATOMG", "RED"),
)

# Options that every pattern has: they change the launch and not the kernel. Without them a case's name stays as it is.
# Each has its values, whole numbers or words, and its meaning.
LAUNCH_OPTIONS: Mapping[str, tuple[range | tuple[str, ...], str]] = {
    "extra_shared": (range(2**20), "bytes of shared memory that each block takes beside what it uses"),
    "carveout": (range(101), "per cent of an SM's on-chip memory that shall be shared memory and not L1 cache"),
    "l2": (
        ("warm", "cold"),
        "what a timed launch finds in the L2 cache: what the last one left, which is the default, or none of its data",
    ),
}

ITERATIONS = "iterations"  # the name of the trip count among a kernel's arguments


@dataclass(frozen=True, slots=True)
class Setting:
    """What one kernel is launched with: the element type, the pattern's own options, and the launch shape."""

    dtype: Dtype
    options: Mapping[str, str]
    grid: int  # blocks
    block: int  # threads a block

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
class _Buffer:
    """An array in global memory: `per_thread` elements for each thread, or as many as `elements` says."""

    name: str
    per_thread: int = 1
    elements: Size | None = None
    dtype: str = ""  # of its elements, e.g. "i32"; empty: the case's

    def count(self, setting: Setting) -> int:
        """Return how many elements it has."""
        return self.elements(setting) if self.elements else self.per_thread * setting.threads


@dataclass(frozen=True, slots=True)
class Input(_Buffer):
    """A buffer that the kernel reads."""


@dataclass(frozen=True, slots=True)
class InOut(_Buffer):
    """A buffer that the kernel reads and writes in place."""


@dataclass(frozen=True, slots=True)
class Output(_Buffer):
    """A buffer that the kernel writes."""

    initial: int | None = None  # what every element holds before a launch that is verified; None: arbitrary bytes
    unordered: bool = False  # compared row by row of the reference's array, each row as a multiset


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that the kernel takes by value."""

    name: str
    value: Callable[[Setting], float]
    dtype: str = "i32"  # empty: the case's


@dataclass(frozen=True, slots=True)
class PerWord:
    """A count that holds for each 32-bit word of the element: a 64-bit shuffle is two SHFL."""

    count: int


def elements_per_thread(count: int) -> Size:
    """Return the shared memory of a kernel that keeps `count` elements a thread, in bytes a block."""
    return lambda at: at.block * count * at.dtype.size


NO_SHARED = elements_per_thread(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to do a pattern: one kernel, by default the template `<pattern>_<variant>` of the element type."""

    name: str
    mechanism: Mechanism
    summary: str
    safe: bool = True
    baseline: bool = False
    dtypes: tuple[str, ...] = ()  # empty: all of the pattern's
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the values of options that it has; empty: all
    needs: str = ""  # the first architecture that has it, e.g. "sm_80"
    source: str = "kernels.cu"  # the file that holds it, relative to the pattern's folder
    kernel: str = ""  # its name in C++ where that is another, e.g. "reduce5<{T}, 256>"; {T} is the element type
    arguments: tuple[str, ...] = ()  # in the kernel's order; empty: the buffers, the scalars, `iterations`
    shared: Size = field(default=NO_SHARED)  # dynamic shared memory, bytes a block
    per_iteration: Counts | CountsOf | None = None  # exchange instructions a trip; None: shown, not checked
    may_fold: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # option values that need no mechanism

    def has(self, dtype: str, options: Mapping[str, str]) -> bool:
        """Whether there is such a case of this variant."""
        return (not self.dtypes or dtype in self.dtypes) and all(
            options.get(name) in values for name, values in self.only.items()
        )

    @property
    def takes_shared(self) -> bool:
        """Whether its launch may take dynamic shared memory."""
        return self.shared is not NO_SHARED

    def folds(self, options: Mapping[str, str]) -> bool:
        """Whether the compiler may do without the mechanism."""
        return any(options.get(name) in values for name, values in self.may_fold.items())

    def expected_counts(self, dtype: Dtype, options: Mapping[str, str]) -> dict[str, int] | None:
        """Return the exchange instructions a trip, or None where none are declared."""
        counts = self.per_iteration(dtype, options) if callable(self.per_iteration) else self.per_iteration
        if counts is None:
            return None
        return {
            opcode: count.count * dtype.words if isinstance(count, PerWord) else count
            for opcode, count in counts.items()
        }

    def unsupported_reason(self, arch: str) -> str:
        """Return why `arch` (`sm_90`) cannot run this variant, empty if it can."""
        if self.needs and _generation(arch) < _generation(self.needs):
            return f"{self.name} needs {self.needs} or newer, and this is {arch}"
        return ""


def _generation(arch: str) -> int:
    return int(arch.removeprefix("sm_").rstrip("af"))  # sm_90a and sm_100f are sm_90 and sm_100 with extras


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One communication pattern: what it does, on which data, and the variants that compete."""

    summary: str
    source: str
    buffers: tuple[Input | InOut | Output, ...]
    variants: tuple[Variant, ...]
    scalars: tuple[Scalar, ...] = ()
    dtypes: tuple[str, ...] = ("f32", "f64", "i32", "i64")
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # own axes: name → values, default first
    unroll: int = 16  # trips in one pass through the compiled loop, equal for every variant
    one_pass: bool = False  # each launch does its work once: there is no timed loop, and no argument `iterations`
    bytes_moved: Size | None = None  # useful bytes that a launch reads and writes, whatever the variant
    blocks: tuple[int, ...] = ()  # threads a block that its kernels are written for; empty: any whole warps
    reference_variant: str = ""  # the variant whose results are taken for right, where there is no `reference`
    claims: Mapping[str, str] = field(default_factory=dict)  # published claims that it tests: id → claim
    notes: str = ""  # what was corrected of a published kernel, and what a reader must know

    def variant(self, name: str) -> Variant:
        """Return the variant called `name`; KeyError if there is none."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(name)

    @property
    def baseline(self) -> Variant:
        """The variant that the others are compared with."""
        return next(variant for variant in self.variants if variant.baseline)

    @property
    def option_choices(self) -> tuple[dict[str, str], ...]:
        """The default options, then each other value of each option alone: every value once, not the product."""
        default = {name: values[0] for name, values in self.options.items()}
        others = [{**default, name: value} for name, values in self.options.items() for value in values[1:]]
        return (default, *others)

    def arguments(self, variant: Variant) -> tuple[str, ...]:
        """Return the names of what a variant's kernel takes, in its order."""
        names = [*(buffer.name for buffer in self.buffers), *(scalar.name for scalar in self.scalars)]
        return variant.arguments or tuple(names if self.one_pass else [*names, ITERATIONS])

"""The functions of libraries that are compared, and the kernels of shflbench that do the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.measure.workload import setting_of
from shflbench.model import DTYPES, Case, Launch, Mechanism
from shflbench.patterns.declare import Input, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.patterns.discover import LoadedPattern

MIB = 1 << 20
PER_THREAD = {"per_thread": "32"}
# The pattern of each function, and its options.
FUNCTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "sum": ("device-reduce", PER_THREAD),
    "rms-norm": ("row-norm", {"norm": "rms"}),
    "layer-norm": ("row-norm", {"norm": "layer"}),
    "softmax": ("softmax", {}),
}
LENGTH = "length"  # the option of patterns that work on rows
# Outputs that kernels add to: they are set to zero in the same graph, as a program has to, but for the last block.
ADDED_TO = {"device-reduce": ("total",)}
STORES = {"device-reduce": ("last-block", "last-block-acq-rel")}
BANDWIDTH = "stream"  # the pattern whose variant `vector` shows the bandwidth of the same bytes
# The largest permitted error, as a fraction of the largest absolute value. `shflbench run` verifies ours to the bounds
# of the pattern. Sums of integers are exact, those of floats if each partial sum of the library is.
TOLERANCE = {"f32": 2.0**-16, "bf16": 2.0**-6}
SUM_TOLERANCE = {"f32": 2.0**-20, "bf16": 2.0**-20, "i32": 0.0}


class PlanError(Exception):
    """A work that cannot be planned, as a sentence."""


@dataclass(frozen=True, slots=True)
class Work:
    """One function on one array."""

    function: str
    dtype: str
    length: int  # elements of a row; 0: the array has no rows
    nbytes: int  # of the array

    @property
    def name(self) -> str:
        """The readable name, e.g. `rms-norm f32, rows of 1024, 512 MiB`."""
        rows = f", rows of {self.length}" if self.length else ""
        return f"{self.function} {self.dtype}{rows}, {self.nbytes // MIB} MiB"

    @property
    def pattern(self) -> str:
        """The pattern of shflbench that does the same."""
        return FUNCTIONS[self.function][0]

    @property
    def tolerance(self) -> float:
        """The largest permitted error, as a fraction of the largest absolute value."""
        return SUM_TOLERANCE[self.dtype] if self.function == "sum" else TOLERANCE[self.dtype]


def works(functions: Sequence[str], dtypes: Sequence[str], lengths: Sequence[int], mib: Sequence[int]) -> list[Work]:
    """Return all works; only sums have integers."""
    return [
        Work(function, dtype, length, size * MIB)
        for size in mib
        for function in functions
        for dtype in dtypes
        if function == "sum" or DTYPES[dtype].floating
        for length in ((0,) if function == "sum" else lengths)
    ]


def setting(pattern: LoadedPattern, options: Mapping[str, str], dtype: str, block: int, nbytes: int) -> Setting:
    """Return the launch with which a pattern's first input has `nbytes`; PlanError if none has."""
    declared = pattern.declaration
    chosen = {**declared.option_choices[0], **options}
    one = Setting(DTYPES[dtype], chosen, 1, block)
    of_block = next(item for item in declared.buffers if isinstance(item, Input)).count(one) * one.dtype.size
    if nbytes % of_block:
        raise PlanError(f"{pattern.name}: {nbytes} bytes are not a multiple of the {of_block} bytes of a block")
    return Setting(one.dtype, chosen, nbytes // of_block, block)


def cases_of(work: Work, pattern: LoadedPattern, blocks: Sequence[int]) -> Iterator[Case]:
    """Yield the cases of shflbench: the safe variants that use shuffles, with each number of threads per block."""
    options = dict(FUNCTIONS[work.function][1])
    if work.length:
        options[LENGTH] = str(work.length)
    for block in blocks:
        at = setting(pattern, options, work.dtype, block, work.nbytes)
        for variant in pattern.declaration.variants:
            if variant.safe and variant.mechanism is Mechanism.SHFL and variant.has(work.dtype, at.options):
                yield case_of(pattern.name, variant.name, at)


def bandwidth_case(work: Work, stream: LoadedPattern, block: int) -> Case:
    """Return the case of the pattern `stream` that moves the same bytes: it reads for a sum, and copies otherwise."""
    dtype = work.dtype if work.dtype in stream.declaration.dtypes else "f32"
    options = {**PER_THREAD, "work": "read" if work.function == "sum" else "copy"}
    return case_of(stream.name, "vector", setting(stream, options, dtype, block, work.nbytes))


def case_of(pattern: str, variant: str, at: Setting) -> Case:
    """Return the case of a variant at a setting; patterns of one pass have one iteration."""
    launch = Launch(f"{at.grid}x{at.block}", at.block, at.grid)
    return Case(pattern, variant, at.dtype.name, launch, 1, tuple(at.options.items()))


def zeroed(case: Case) -> tuple[str, ...]:
    """Return the outputs that must be zero before each launch."""
    return () if case.variant in STORES.get(case.pattern, ()) else ADDED_TO.get(case.pattern, ())


def useful_bytes(case: Case, pattern: LoadedPattern) -> int:
    """Return the bytes that the pattern counts for a launch of the case; PlanError if it counts none."""
    if pattern.declaration.bytes_moved is None or case.launch.grid is None:
        raise PlanError(f"{case.id}: the pattern declares no bytes, or the launch has no fixed number of blocks")
    return pattern.declaration.bytes_moved(setting_of(case, case.launch.grid))

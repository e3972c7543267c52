"""The kernels of a file as candidates for timing, and the launches at which they can be timed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.core.dimensions import NO_CLUSTER

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from shflbench.checker.inputs.argument import NamedValue
    from shflbench.checker.later_launches import LaterArgument
    from shflbench.checker.report import FileReport, KernelReport
    from shflbench.checker.runs.buffer_uses import BufferUse
    from shflbench.core.dimensions import Dims
    from shflbench.cuda.compile.nvrtc import PtxUnit
    from shflbench.cuda_sources.kernel_file import RejectedKernel


@dataclass(frozen=True, slots=True, eq=False)
class CandidateBuffer:
    """A buffer of a launch, with its contents before it."""

    name: str
    element: str  # a name such as `f32`
    contents: NDArray[np.uint8]  # which repeat up to the size
    size: int  # bytes
    is_synthesized: bool  # whether nobody specifies the contents
    use: BufferUse
    is_ordered: bool = False  # whether its elements are ascending, or ranges, so that another order may be invalid
    allocation: int | None = None  # of the host code, by number; None if somebody else specifies the buffer
    is_intermediate: bool = False  # one kernel of a sequence writes it for later ones, which only read it
    variable: str = ""  # of the device, whose memory it is, as the PTX names it; empty: an argument points to it
    is_unset: bool = False  # a variable that is read, and that neither the user, the host code nor the file sets
    lanes: int = 1  # numbers per element: 2 for `float2`
    may_be_structure: bool = False  # whether its elements are structures, or of a type that is not known
    writers: frozenset[str] = frozenset()  # kernels that wrote before, in the host code, what this one reads
    readers: frozenset[str] = frozenset()  # kernels to which the host code passes it afterwards, and which read it

    @property
    def is_scalar(self) -> bool:
        """Whether it has one element."""
        return self.size <= ELEMENTS[self.element].size

    @property
    def is_constant(self) -> bool:
        """Whether somebody specifies the contents, and all elements are equal."""
        elements = self._elements
        return not self.is_synthesized and bool((elements == elements[:1]).all())

    @property
    def has_distinct_elements(self) -> bool:
        """Whether no two elements are equal."""
        elements = self._elements
        return self.contents.size == self.size and len(np.unique(elements)) == len(elements)

    @property
    def _elements(self) -> NDArray[np.unsignedinteger]:
        size = ELEMENTS[self.element].size
        return self.contents[: self.contents.size // size * size].view(f"u{size}")


@dataclass(frozen=True, slots=True)
class CandidateNumber:
    """A number that a launch passes by value."""

    name: str
    element: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CandidatePointer:
    """What a launch passes for one pointer, and what the kernel does with it."""

    buffer: str  # its name
    byte: int  # behind the start of the buffer
    use: BufferUse


@dataclass(frozen=True, slots=True)
class CandidateStructure:
    """A structure that a launch passes by value; its fields are among the arguments, one after another."""

    name: str  # of the parameter
    size: int  # bytes
    first: int  # place of its first field among the arguments
    offsets: tuple[int, ...]  # the first byte of each field


@dataclass(frozen=True, slots=True, eq=False)
class CandidateStep:
    """One launch of a sequence, over the buffers and numbers of the sequence."""

    grid: Dims
    block: Dims
    shared_bytes: int  # dynamic, per block
    arguments: tuple[str, ...]  # names of buffers and numbers, in the order of the parameters and of their fields
    pointers: Mapping[int, CandidatePointer]  # by the place among the arguments
    cluster: Dims = NO_CLUSTER  # blocks of a cluster, unless the kernel declares them
    program: str = ""  # `HostLaunch.sizes` of the launch of the host code that it is
    structures: tuple[CandidateStructure, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CandidateLaunch:
    """One launch that can be timed, or a sequence of launches."""

    grid: Dims
    block: Dims
    shared_bytes: int  # dynamic, per block
    buffers: tuple[CandidateBuffer, ...]  # of the whole sequence
    numbers: tuple[CandidateNumber, ...]  # likewise
    arguments: tuple[str, ...]  # as in `CandidateStep`
    values: tuple[NamedValue, ...]
    pointers: Mapping[int, CandidatePointer]  # likewise
    is_given: bool = False  # whether the user specifies its shape
    size: tuple[str, str] | None = None  # the name and the value of an option, if there are several sizes
    later: tuple[CandidateStep, ...] = ()  # of a sequence, in order
    cluster: Dims = NO_CLUSTER  # blocks of a cluster, unless the kernel declares them
    program: str = ""  # of its first launch, as in `CandidateStep`
    structures: tuple[CandidateStructure, ...] = ()  # likewise

    @property
    def steps(self) -> tuple[CandidateStep, ...]:
        """Its launches, in order."""
        shape = self.grid, self.block, self.shared_bytes
        first = CandidateStep(*shape, self.arguments, self.pointers, self.cluster, self.program, self.structures)
        return (first, *self.later)

    @property
    def shapes(self) -> tuple[str, ...]:
        """The texts that `--launch` takes, one per launch of a sequence."""
        return tuple(str(LaunchShape(item.grid, item.block)) for item in self.steps)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all buffers and numbers."""
        variables = (item.name for item in self.buffers if item.variable)
        return tuple(dict.fromkeys([*(name for item in self.steps for name in item.arguments), *variables]))


@dataclass(frozen=True, slots=True, eq=False)
class KernelCandidate:
    """One kernel, or a sequence of kernels."""

    name: str  # as the user writes it, and as C++ names it: `reduce<float, 256>`, `partial+final`, `sums()`
    kernels: tuple[str, ...]  # names, in order
    symbols: tuple[str, ...]  # likewise
    ptx: str  # of these kernels alone
    # Of each parameter, and of each field of a structure: whether it is a pointer, element type, bytes.
    signature: tuple[tuple[bool, str, int], ...]
    launches: tuple[CandidateLaunch, ...]
    missing: tuple[str, ...]  # options without which it cannot be timed: `--launch GRIDxBLOCK`, `--arg n=NUMBER`
    problem: str = ""  # why it cannot be timed whatever is missing, as a sentence
    remedy: str = ""  # which option helps with the problem, as a clause; empty if none does
    unclear: str = ""  # which launch of the host code is not understood, as a sentence
    indexes: frozenset[str] = frozenset()  # buffers whose contents are addresses, or numbers of iterations
    structural: frozenset[str] = frozenset()  # numbers on which addresses, iterations or branches depend
    deciding: frozenset[str] = frozenset()  # buffers with contents on which branches depend
    counters: frozenset[str] = frozenset()  # buffers that it changes by atomic operations, or polls
    targets: frozenset[str] = frozenset()  # buffers whose contents are addresses of stores
    sibling: str = ""  # the instance whose arguments it takes, where only its launch is missing
    line: int = 0  # of its first launch in the host code
    values: frozenset[tuple[str, tuple[bool, str, int]]] = frozenset()  # the signature with names, in any order
    keeps_memory: bool = False  # whether it may write `__device__` variables, which later launches find
    later_arguments: tuple[LaterArgument, ...] = ()  # that the host code changes after its first launch
    kept: frozenset[str] = frozenset()  # buffers that the host code does not set again between its launches


@dataclass(frozen=True, slots=True, eq=False)
class CandidateFile:
    """The kernels of a file, and its device code as NVRTC takes it."""

    path: Path
    unit: PtxUnit
    kernels: tuple[KernelCandidate, ...]
    reports: Mapping[str, KernelReport]  # by symbol; empty if the kernels were not checked
    report: FileReport | None
    rejected: tuple[RejectedKernel, ...] = ()  # by the compiler, without which it accepts the file

    @property
    def names(self) -> list[str]:
        """All names of kernels."""
        return [*(kernel.name for kernel in self.kernels), *(kernel.name for kernel in self.rejected)]

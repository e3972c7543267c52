"""A linked kernel: numbered registers, laid-out memory, basic blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar, cast

import numpy as np

from shflbench.core.symbols import plain_name
from shflbench.emulator.opcodes.forms import Access, Form
from shflbench.emulator.ptx.syntax import PtxInstruction, Variable

_Fact = TypeVar("_Fact")


@dataclass(frozen=True, slots=True)
class Slot:
    """A register by number, read or written as `type` (NumPy); `negated` for a predicate."""

    number: int
    type: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class MemoryOperand:
    """The address of an access: a register or nothing, plus an offset, in a space (empty: generic)."""

    base: Slot | None
    offset: int
    space: str


Source = Slot | int  # an immediate is the unsigned integer of its bits; the form has its type


@dataclass(frozen=True, slots=True)
class Op:
    """One linked instruction."""

    form: Form
    results: tuple[Slot | None, ...]  # None: discarded
    sources: tuple[Source, ...]
    guard: Slot | None
    place: MemoryOperand | None
    target: int  # the target of a branch; the op's own number for all others
    instruction: PtxInstruction
    variables: frozenset[str] = frozenset()  # in shared memory, whose addresses are constants among the operands


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Straight code from `start`: `ops`, and the op that ends it, None if control falls through."""

    start: int
    ops: tuple[Op, ...]
    last: Op | None
    next: int  # the next block unless `last` jumps


@dataclass(frozen=True, slots=True)
class PlacedVariable:
    """Where a variable lies in its memory space."""

    name: str  # in the PTX
    start: int
    size: int  # 0: the dynamic part of shared memory


@dataclass(frozen=True, slots=True)
class ModuleVariable:
    """Where a variable of the module lies: a `__device__`, `__managed__` or `__constant__` variable."""

    name: str  # in the PTX
    space: str  # `global` or `const`
    start: int  # bytes from the start of the module's memory
    size: int
    type: str = ""  # of one element, as the PTX has it; of arrays often `b8`


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel that is ready to launch."""

    symbol: str
    blocks: Mapping[int, BasicBlock]  # by their first op's number
    registers: tuple[str, ...]  # NumPy type of each register's storage
    special: Mapping[str, int]  # special register → number
    parameters: tuple[Variable, ...]
    parameter_offsets: tuple[int, ...]
    parameter_bytes: int
    shared_bytes: int  # static part; dynamic memory starts here
    local_bytes: int  # per thread
    constants: np.ndarray[tuple[int], np.dtype[np.uint8]]  # module variables in global and constant memory
    watched: frozenset[int]  # registers that hold addresses or lanes, by whose values results are cached
    shared_granule: int  # bytes of the smallest access to shared memory
    symbols: tuple[ModuleVariable, ...] = ()  # that the kernel reaches, by ascending start
    shared_variables: tuple[PlacedVariable, ...] = ()  # by ascending start
    local_variables: tuple[PlacedVariable, ...] = ()  # likewise
    workspace: int = 0  # bytes from the start of the module's memory to the memory of grid barriers
    heap_bytes: int = 0  # of device memory that `malloc` in the kernel takes from
    stack: range = range(0)  # the bytes of a thread's local memory for functions that are not inlined
    notes: tuple[str, ...] = ()  # sentences on what the emulator does otherwise than a GPU
    interrupted: bool = False  # threads may wait by memory: accesses by which they do so end basic blocks
    opcodes: frozenset[str] = frozenset()
    cluster: tuple[int, int, int] = (1, 1, 1)  # blocks of a cluster, as the kernel demands
    _kept: dict[object, object] = field(default_factory=dict, init=False, compare=False, repr=False)

    def kept(self, compute: Callable[[Program], _Fact]) -> _Fact:
        """Return what a function computes of this program: once, because each run of a launch asks for it."""
        if compute not in self._kept:
            self._kept[compute] = compute(self)
        return cast("_Fact", self._kept[compute])

    @property
    def name(self) -> str:
        """The name of the kernel in messages."""
        return plain_name(self.symbol)

    @property
    def declared_shared_bytes(self) -> int:
        """Bytes of the static variables in shared memory, without the gaps that the emulator leaves between them."""
        return sum(place.size for place in self.shared_variables)

    @property
    def tests_phases(self) -> bool:
        """Whether threads wait for phases of barriers in memory."""
        return any(isinstance(op.form, Access) and op.form.is_barrier and op.form.kind == "ld" for op in self.ops())

    def ops(self) -> Iterator[Op]:
        """Yield the ops in the order of the code."""
        for start in sorted(self.blocks):
            block = self.blocks[start]
            yield from chain(block.ops, () if block.last is None else (block.last,))

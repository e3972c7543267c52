"""Decoded instruction forms: the NumPy types of their operands, and their effect."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from shflbench.emulator.ptx.syntax import NUMPY, Pair, PtxInstruction, Vector

# Operands and results are arrays of many types at once; NumPy's types cannot express them.
Values = NDArray[Any]
Number = TypeVar("Number", int, Values)  # one, or many
Apply = Callable[..., object]

# The services that let dependent grids begin, and that wait for the grids before, by the modifiers of `griddepcontrol`.
GRID_CONTROLS: Mapping[str, str] = {"launch_dependents": "launch_dependents", "wait": "wait_for_grids"}
FULL_MASK = 0xFFFFFFFF  # names all lanes of a warp
# How many threads a scope includes: those of a block, of a cluster, or all. A weak access has no scope.
OF_BLOCK, OF_CLUSTER, OF_ALL = range(3)
REACHES: Mapping[str, int] = {"": OF_BLOCK, "cta": OF_BLOCK, "cluster": OF_CLUSTER, "gpu": OF_ALL, "sys": OF_ALL}


class UnknownFormError(Exception):
    """An instruction has modifiers that no decoder supports."""


@dataclass(frozen=True, slots=True)
class Pure:
    """An instruction of one thread: `apply(*operands, *results)` writes the results in place."""

    results: tuple[str, ...]  # NumPy types
    operands: tuple[str, ...]
    apply: Apply


class Scoped:
    """An operation that has a scope."""

    __slots__ = ()
    scope: str

    @property
    def reach(self) -> int:
        """Return how many threads the scope includes."""
        return REACHES[self.scope]

    @property
    def wide(self) -> bool:
        """Whether the scope includes the threads of all blocks."""
        return self.reach == OF_ALL


@dataclass(frozen=True, slots=True)
class Access(Scoped):
    """A load, store or atomic: `kind` is `ld`, `st`, `atom` or `red`."""

    kind: str
    space: str  # empty: generic
    type: str  # NumPy type of one element in memory
    results: tuple[str, ...]
    operands: tuple[str, ...]  # of the values; the address comes first and is not among them
    vector: int = 1  # elements per access
    update: Apply | None = None  # atomics: (old, *operands) → new
    order: str = "weak"  # or volatile, relaxed, acquire, release, acq_rel, sc (PTX ISA 9.0, 8.4)
    scope: str = ""  # of a strong access: cta, cluster, gpu or sys
    non_coherent: bool = False  # a load of memory that nothing may write during the launch: ld.global.nc, ldu
    asynchronous: bool = False  # a part of a copy, complete once its thread has waited; or the arrival of copies
    distributed: bool = False  # the shared memory may be that of another block of the cluster
    is_barrier: bool = False  # an arrival at a barrier in memory, or a test of its phase

    @property
    def strong(self) -> bool:
        """Whether the access may be part of synchronization: volatile and atomic ones are."""
        return self.order != "weak"

    @property
    def atomic(self) -> bool:
        """Whether the access reads and writes in one step."""
        return self.update is not None

    @property
    def writes(self) -> bool:
        """Whether the access changes memory."""
        return self.kind != "ld"

    @property
    def acquires(self) -> bool:
        """Whether the access is an acquire operation; `red` never is (PTX ISA 9.0, 8.8)."""
        return self.order in {"acquire", "acq_rel", "sc"} and self.kind in {"ld", "atom"}

    @property
    def releases(self) -> bool:
        """Whether the access is a release operation."""
        return self.order in {"release", "acq_rel", "sc"} and self.kind != "ld"


@dataclass(frozen=True, slots=True)
class Fence(Scoped):
    """A fence of one thread, which completes patterns of release and acquire (PTX ISA 9.0, 8.8)."""

    order: str  # acquire, release, acq_rel or sc
    scope: str  # cta, cluster, gpu or sys
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    only_init: bool = False  # it orders nothing but the initialization of barriers in memory


@dataclass(frozen=True, slots=True)
class ProxyFence:
    """A fence of one thread between its accesses by the generic proxy and those by the async proxy."""

    space: str  # shared or global; empty: all memory
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()


class WarpCall(Protocol):
    """The lanes that execute one collective instruction, and a cache between executions."""

    warps: int
    active: Values | None  # flags [warps, 32]; None: all lanes
    absent_fill: int  # the bits of a value that is read from a lane that does not execute the instruction

    def full(self, values: Values) -> Values:
        """Return `values` as an array of shape [warps, 32]."""

    def remember(self, name: str, compute: Callable[[], Any]) -> Any:  # noqa: ANN401  (each collective keeps its own)
        """Return `compute()`, or its last result if the operands after the first are the same."""

    def report_values(self, values: Values) -> None:
        """Report the values that the lanes compare."""

    def report_missing(self, missing: Values, sources: Values) -> None:
        """Report the lanes [warps, 32] that read from lanes that do not take part; `sources` count through warps."""


@dataclass(frozen=True, slots=True)
class Collective:
    """An instruction of the lanes of a warp.

    `apply(call, *operands, *results)` gets arrays of shape [warps, 32], and a `WarpCall` with the active lanes.
    """

    results: tuple[str, ...]
    operands: tuple[str, ...]
    apply: Apply
    mask: int | None  # which operand is the member mask; None: the active lanes, and no lane waits


@dataclass(frozen=True, slots=True)
class Barrier:
    """A barrier: of the whole block, or of the lanes that the mask operand names."""

    whole_block: bool
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    reduce: str = ""  # `popc`, `and` or `or` over the block, for bar.red
    arrives_only: bool = False
    counted: bool = False  # the second operand is the number of threads that take part
    aligned: bool = True  # all lanes of a warp execute it together


@dataclass(frozen=True, slots=True)
class ClusterBarrier:
    """One half of the barrier of a cluster: the arrival, at which no thread waits, or the wait."""

    waits: bool
    order: str  # of the arrival: release or relaxed; of the wait: acquire
    aligned: bool  # all lanes of a warp execute it together
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A jump to the label operand."""

    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a thread, or of an inlined function for `ret`."""

    returns: bool
    trap: bool = False
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nothing:
    """An instruction without an effect here, such as a fence."""

    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Service:
    """What the CUDA runtime or the clock does for a thread, by name."""

    name: str
    results: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()


Form = Service | Pure | Access | Fence | ProxyFence | Collective | Barrier | ClusterBarrier | Branch | Exit | Nothing
Decoder = Callable[[PtxInstruction], Form]


def last_type(instruction: PtxInstruction, allowed: str = "") -> str:
    """Return the last modifier, which must be a PTX type; `allowed` restricts its letters (`us`, `f`, `b`)."""
    type_ = instruction.modifiers[-1] if instruction.modifiers else ""
    if type_ not in NUMPY or (allowed and type_[0] not in allowed):
        raise UnknownFormError
    return type_


def only(instruction: PtxInstruction, *modifiers: str) -> None:
    """Make sure that all modifiers but the type are among `modifiers`."""
    if not set(instruction.modifiers[:-1]) <= set(modifiers):
        raise UnknownFormError


def width(operand: object) -> int:
    """Return how many registers an operand names."""
    return len(operand.items) if isinstance(operand, Vector) else 2 if isinstance(operand, Pair) else 1


def lookup(table: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401  (tables of functions of many shapes)
    """Return the entry of an opcode table."""
    if key not in table:
        raise UnknownFormError
    return table[key]


def unsigned_type(type_: str) -> str:
    """Return the unsigned NumPy type of the same size."""
    return f"u{np.dtype(type_).itemsize}"

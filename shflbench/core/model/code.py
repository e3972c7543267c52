"""Compiled kernels: their machine code, and what they request from memory (standard library only)."""

from __future__ import annotations

import sys
from collections.abc import Mapping  # noqa: TC003  (kernels travel to worker processes: their types are read there)
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Target:
    """What kernels are compiled for, and with which library of device code."""

    arch: str  # `sm_90`
    cccl: tuple[int, int]  # version of the CCCL headers; (0, 0): there are none


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources of one kernel, as the compiler reports them."""

    registers: int  # per thread
    shared_bytes: int  # per block, static part
    local_bytes: int  # per thread, stack frame
    spill_bytes: int  # per thread, stores plus loads


@dataclass(frozen=True, slots=True)
class Instruction:
    """One SASS instruction: byte address, predicate (`@!P0` or empty), opcode with modifiers, operands."""

    address: int
    predicate: str
    opcode: str
    operands: tuple[str, ...]
    base: str = field(init=False, repr=False, compare=False)  # the opcode without modifiers: `SHFL` for `SHFL.IDX`

    def __post_init__(self) -> None:
        """Set `base` once: the limits of a run ask for it a million times."""
        object.__setattr__(self, "base", sys.intern(self.opcode.partition(".")[0]))


@dataclass(frozen=True, slots=True)
class Control:
    """What the compiler wrote into an instruction for the scheduler."""

    stall: int  # clocks until the warp may issue its next instruction
    write_barrier: int | None  # scoreboard barrier that is released when the result is there
    read_barrier: int | None  # likewise, when the operands have been read
    waits: tuple[int, ...]  # scoreboard barriers that must be released before the instruction is issued


@dataclass(frozen=True, slots=True)
class ScheduledInstruction:
    """One SASS instruction of a loop with its control code."""

    instruction: Instruction
    control: Control
    always: bool  # whether each pass through the loop executes it, if only for some lanes


@dataclass(frozen=True, slots=True)
class TimedCode:
    """The instructions of a timed loop, by address."""

    instructions: tuple[ScheduledInstruction, ...]
    unroll: int  # iterations of the source loop per pass


@dataclass(frozen=True, slots=True)
class OnePassCode:
    """The machine code of a kernel without a timed loop."""

    every: TimedCode  # each instruction once
    inner_loops: tuple[TimedCode, ...] = ()  # one pass of each loop that contains no other
    looped: frozenset[int] = frozenset()  # addresses of the instructions in any loop

    @property
    def certain(self) -> TimedCode:
        """What every warp executes."""
        return TimedCode(tuple(item for item in self.every.instructions if item.always), self.every.unroll)


class AccessSpace(StrEnum):
    """The memory that an instruction accesses."""

    SHARED = "shared"
    GLOBAL = "global"
    LOCAL = "local"


class AccessKind(StrEnum):
    """What an instruction does to memory."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


@dataclass(frozen=True, slots=True)
class AccessRequests:
    """The requests that the warps of a block send from one source line to memory, counted by the emulator.

    A request is one instruction of one warp. `passes` are only known of shared memory, `sectors` only of global and
    local memory; the others are None.
    """

    file: str  # as the compiler names it, e.g. "neighbor/kernels.cu"; empty if it names none
    line: int
    space: AccessSpace
    kind: AccessKind
    bits: int  # per lane, with all elements of a vector
    requests: float  # per block: in one iteration, or in the whole kernel if it has no timed loop
    most_requests: float  # likewise, of the warp that sends the most
    lanes: float  # active lanes per request, on average
    passes: float | None = None  # through the banks of shared memory per request, on average
    fewest_passes: float | None = None  # likewise, of the PTX instruction of this line that needs the fewest
    conflict_free_passes: float | None = None  # passes that the same lanes need per request without bank conflicts
    sectors: float | None = None  # of 32 bytes per request, on average
    least_sectors: float | None = None  # sectors that the distinct bytes of a request fill, on average
    lines: float | None = None  # of 128 bytes per request, on average, of global and local memory
    same_address: float | None = None  # atomics: lanes per request at the most frequent address, on average


@dataclass(frozen=True, slots=True)
class MatchRequests:
    """The `match` instructions of one source line, counted by the emulator."""

    file: str
    line: int
    requests: float  # per block, as in `AccessRequests`
    lanes: float  # active lanes per request, on average
    distinct: float  # different values per request, on average


class WarpOperation(StrEnum):
    """What warps do together, and no request to memory is."""

    BARRIER = "barrier"  # of the block, at which a warp arrives
    WARP_BARRIER = "warp barrier"  # of all lanes of a warp
    SHUFFLE = "shuffle"


@dataclass(frozen=True, slots=True)
class OperationRequests:
    """The barriers of the block, or the shuffles, of one source line, counted by the emulator."""

    file: str
    line: int
    kind: WarpOperation
    requests: float  # per block, as in `AccessRequests`: of warps, which may be parts of one where lanes branched


@dataclass(frozen=True, slots=True)
class AtomicAddress:
    """The address of global memory that one source line's atomics access most often in a launch."""

    file: str
    line: int
    lanes: float  # that access it in the launch
    requests: float  # of warps that do


@dataclass(frozen=True, slots=True)
class KernelRequests:
    """What a kernel's memory instructions request, counted by the emulator in one small launch."""

    accesses: tuple[AccessRequests, ...]  # by file, line, space, kind and bits
    matches: tuple[MatchRequests, ...]
    warps: int  # per block of the launch
    per_iteration: bool  # whether counts are of one iteration of the timed loop; otherwise of the whole kernel
    operations: tuple[OperationRequests, ...] = ()  # by file, line and kind; only of whole kernels


@dataclass(frozen=True, slots=True)
class MemoryFootprint:
    """The bytes of global memory that a launch uses, in sectors of 32 bytes where these belong to one block each."""

    read_bytes: float
    written_bytes: float
    distinct_bytes: float  # read or written; what is both counts once


@dataclass(frozen=True, slots=True)
class LaunchCounts:
    """What the blocks of one launch do, counted by the emulator at the arguments of the launch."""

    blocks: int  # that were counted
    grid: int  # blocks of the launch
    requests: KernelRequests  # of the whole kernel, per block
    footprint: MemoryFootprint  # of the launch
    atomics: tuple[AtomicAddress, ...] = ()  # by file and line

    @property
    def is_sample(self) -> bool:
        """Whether only some blocks were counted, which stand for the others."""
        return self.blocks < self.grid

    @property
    def basis(self) -> str:
        """What was counted, e.g. `8 of 65,536 blocks`."""
        if self.is_sample:
            return f"{self.blocks} of {self.grid:,} blocks"
        return "the only block" if self.grid == 1 else f"all {self.grid:,} blocks"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop in the SASS whose counter changes by a constant."""

    start: int  # address of its first instruction
    end: int  # address of its last instruction
    unroll: int  # iterations of the source loop per pass through the body
    counts: Mapping[str, int]  # base opcode → instructions in the body, for all `unroll` iterations


@dataclass(frozen=True, slots=True)
class Kernel:
    """One compiled variant for one architecture."""

    symbol: str  # the mangled name to load
    arch: str  # e.g. "sm_90"
    ptx: str
    cubin: bytes = field(repr=False)
    resources: Resources
    sass: tuple[Instruction, ...] | None = field(repr=False)  # None if no disassembler can read `arch`
    loop: Loop | None  # the timed loop; None without SASS, or if the pattern has no iterations
    violations: tuple[str, ...]  # deviations from the declared machine code, one sentence each
    later: tuple[Kernel, ...] = field(default=(), repr=False)  # that a variant of several kernels launches after it

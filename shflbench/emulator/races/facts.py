"""The facts of a hazard: the memory that it concerns, the accesses of a race, and why nothing orders them."""

from dataclasses import dataclass
from enum import StrEnum

from shflbench.emulator.ptx.syntax import PtxInstruction


class UnorderedReason(StrEnum):
    """Why nothing orders two accesses though a barrier, an atomic or a copy lies between them."""

    WEAK_BARRIERS = "weak barriers"  # they order the execution of threads, and not their accesses to memory
    UNUSED_BEFORE_ARRIVAL = "unused before arrival"  # the load may still be in flight when its thread arrives
    NO_FENCE_AFTER_READ = "no fence after read"  # a relaxed read or atomic observed what the other thread published
    NO_FENCE_BEFORE_COUNT = "no fence before count"  # an atomic of the writer lets a block be the last
    UNUSED_BEFORE_COPY = "unused before copy"  # or when the copy starts


@dataclass(frozen=True, slots=True)
class MemoryBytes:
    """Bytes of a variable, a buffer or a memory space."""

    space: str  # shared, global, local, …
    variable: str  # as messages name it: "`s`", "buffer 3", "dynamic shared memory"; "" for a space without variables
    first: int  # byte of the variable, or of the part of the space that belongs to a thread or a block
    size: int
    buffer: int | None = None  # its number in the launch, in global memory


@dataclass(frozen=True, slots=True)
class HazardAccess:
    """One access of a race: which thread, where, how, and which barrier the thread passed last before it."""

    thread: tuple[int, int]  # block, index in the block
    instruction: PtxInstruction
    kind: str  # as `Access.kind`
    size: int  # bytes
    order: str  # as `Access.order`
    scope: str  # as `Access.scope`
    barrier: PtxInstruction | None

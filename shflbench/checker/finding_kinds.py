"""The kinds of findings: one row per kind of hazard, with all in which kinds differ.

The order of rows is that in which sentences name several kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from shflbench.checker.verdict import Level
from shflbench.emulator.races.hazards import HazardKind


class CauseClass(Enum):
    """What, of all that a user did not give, may be the reason of a hazard in place of the kernel."""

    NOTHING = auto()
    VALUES = auto()  # sizes and values: what the user did not give may be what is wrong
    SHAPES = auto()  # a block of one warp, or one that ends in a part of a warp, which the kernel may not be made for
    ROWS = auto()  # a block that ends in a part of a warp, if warps are counted over the whole grid


class Grouping(Enum):
    """Which findings have one cause, and are shown as one."""

    PLACE = auto()  # of one kind at the same lines in this order, and in the same memory
    LINES = auto()  # of all such kinds between two lines in either order: a barrier between them is missing
    LINES_OF_KIND = auto()  # of one kind, likewise
    LAUNCHES = auto()  # of all such kinds, likewise, that lack the same order between launches


@dataclass(frozen=True, slots=True)
class FindingKind:
    """What distinguishes one kind of hazard from the others.

    Of messages, `place` and `other` are lines with their threads, `line` and `other_line` those without, `thread`,
    `second` and `second_thread` the threads, and `kinds` the kinds of a group; `order` is what lacks between two
    accesses, `verb` what the instruction does to memory, `source` the lane that gives no value, and `waits_at` what
    threads wait at.
    """

    kind: HazardKind
    message: str
    title: str  # of the rule in SARIF
    help: str  # likewise
    level: Level = Level.ERROR  # unless values that nobody gave decide: the kernel is broken
    doubt: str = ""  # of a warning: why the kernel is doubtful as long as every schedule computes the same
    causes: CauseClass = CauseClass.NOTHING
    grouping: Grouping = Grouping.PLACE
    other: str = "the earlier access"  # what its second line is
    explains_deadlocks: bool = False  # a deadlock follows from it, where both happen under the same schedule
    explains_differences: bool = False  # a doubt that is a fault where outputs differ between schedules
    open_name: str = ""  # the kind, and its message, where values that nobody gave decide
    open_message: str = ""


_SYNCHRONIZE = (
    "Order the two accesses: __syncthreads() within a block, __syncwarp() within a warp, and atomics with "
    "__threadfence() or another launch between blocks."
)
_MASK = "Name exactly the lanes that execute the instruction, and let all of them execute it together."
_CLUSTER = (
    "Put a barrier of the cluster, such as cluster.sync(), between the access and the start or the end of the block."
)
_RELEASE = "Let the arrival at the barrier release at the scope of the cluster, and the wait acquire at it."
_PROXY = "Execute fence.proxy.async after the access and before the copy starts."
_BARRIER = "Let all threads of the block, or all that the barrier counts, reach the same barrier."
_WAIT = (
    "Call cudaGridDependencySynchronize() in every thread before its first access to memory that the launch before "
    "accesses, or launch the kernel without programmatic stream serialization."
)

# Volatile or relaxed accesses in no fixed order (UNORDERED) are no doubt: they are no race, and mean what CUDA says of
# them. A plain read that compare-and-swap checks races by the letter of the memory model.
_ROWS = (
    FindingKind(
        HazardKind.RAW,
        message="{kinds}: {place} reads what {other} wrote, with no {order} between",
        title="Read after write without synchronization",
        help=f"A thread reads what another wrote. {_SYNCHRONIZE}",
        causes=CauseClass.ROWS,
        grouping=Grouping.LINES,
    ),
    FindingKind(
        HazardKind.WAR,
        message="{kinds}: {place} overwrites what {other} read, with no {order} between",
        title="Write after read without synchronization",
        help=f"A thread overwrites what another reads. {_SYNCHRONIZE}",
        causes=CauseClass.ROWS,
        grouping=Grouping.LINES,
    ),
    FindingKind(
        HazardKind.WAW,
        message="{kinds}: {place} overwrites what {other} wrote, with no {order} between",
        title="Write after write without synchronization",
        help=f"Two threads write different values. {_SYNCHRONIZE}",
        causes=CauseClass.ROWS,
        grouping=Grouping.LINES,
    ),
    FindingKind(
        HazardKind.SAME_VALUE,
        message="{kinds}: {place} overwrites what {other} wrote, with no {order} between",
        title="Equal values written without synchronization",
        help=f"Two threads write one value. {_SYNCHRONIZE}",
        level=Level.WARNING,
        doubt="threads write equal values to one address in no fixed order",
        causes=CauseClass.ROWS,
        grouping=Grouping.LINES,
    ),
    FindingKind(
        HazardKind.ATOMIC_RACE,
        message="{kinds}: {place} and {other} access the same memory with no {order} between; an atomic is ordered "
        "neither with plain accesses nor with atomics of another size or too narrow a scope",
        title="Race between an atomic and another access",
        help="Access the memory by atomics of one size, whose scope includes both threads, or order the accesses.",
        causes=CauseClass.ROWS,
        grouping=Grouping.LINES_OF_KIND,
    ),
    FindingKind(
        HazardKind.GUESS,
        message="{place} and {other} access the same memory with no {order} between; compare-and-swap checks what "
        "the plain read guesses, which a volatile read does without a race",
        title="Plain read of what compare-and-swap changes",
        help="Nothing but the number of iterations depends on it; a volatile or relaxed read is no race.",
        level=Level.WARNING,
        doubt="a plain read guesses what compare-and-swap checks",
        grouping=Grouping.LINES_OF_KIND,
    ),
    FindingKind(
        HazardKind.UNORDERED,
        message="{place} and {other} access the same memory by volatile or relaxed operations, in no fixed order",
        title="Volatile or relaxed accesses in no fixed order",
        help=f"The accesses are no race, but nothing orders them. {_SYNCHRONIZE}",
        level=Level.NOTICE,
        grouping=Grouping.LINES_OF_KIND,
    ),
    FindingKind(
        HazardKind.UNINITIALIZED,
        message="{place} reads memory that no thread has written",
        title="Read of uninitialized memory",
        help="Write the memory before it is read.",
        causes=CauseClass.VALUES,
    ),
    FindingKind(
        HazardKind.UNINITIALIZED_UNUSED,
        message="{place} reads memory that no thread has written, which has no effect on the result",
        title="Read of uninitialized memory without an effect",
        help="Write the memory before it is read.",
        level=Level.WARNING,
        doubt="threads read memory that nothing has written",
    ),
    FindingKind(
        HazardKind.OUT_OF_BOUNDS,
        message="{place} {verb} memory out of bounds",
        title="Access out of bounds",
        help="Compare the index with the size of the buffer before the access.",
        causes=CauseClass.VALUES,
    ),
    FindingKind(
        HazardKind.MISALIGNED,
        message="{place} {verb} memory at a misaligned address",
        title="Misaligned access",
        help="Align the address to the size of the access.",
        causes=CauseClass.VALUES,
    ),
    FindingKind(
        HazardKind.READ_ONLY,
        message="{place} writes to read-only memory",
        title="Write to read-only memory",
        help="Write to global or shared memory.",
        causes=CauseClass.VALUES,
    ),
    FindingKind(
        HazardKind.OTHER_LOCAL,
        message="{place} {verb} a local variable of another thread, whose address is valid for that thread only",
        title="Access to a local variable of another thread",
        help="Share values in shared or global memory.",
    ),
    FindingKind(
        HazardKind.INACTIVE_SOURCE,
        message="{place} uses the value of {source}",
        title="Shuffle from a lane that does not execute it",
        help=_MASK,
        causes=CauseClass.SHAPES,
    ),
    FindingKind(
        HazardKind.ABSENT_VALUE,
        message="{place} reads the value of {source}, which has no effect on the result",
        title="Value from an absent lane that nothing uses",
        help=_MASK,
        level=Level.NONE,
    ),
    FindingKind(
        HazardKind.NOT_IN_OWN_MASK,
        message="{place} is executed with a mask that does not contain the lane of the thread",
        title="Lane outside its own mask",
        help=_MASK,
        causes=CauseClass.SHAPES,
        explains_deadlocks=True,
    ),
    FindingKind(
        HazardKind.MASKS_DIFFER,
        message="{place} is executed with different masks by lanes whose masks contain each other",
        title="Lanes with different masks",
        help=_MASK,
        causes=CauseClass.SHAPES,
        explains_deadlocks=True,
    ),
    FindingKind(
        HazardKind.EXITED,
        message="the mask at {place} contains lanes that have exited",
        title="Mask names lanes that have exited",
        help=_MASK,
        level=Level.NOTICE,  # "all non-exited threads" of the mask have to execute it (PTX ISA 9.0, 9.7.9.6)
        causes=CauseClass.SHAPES,
    ),
    FindingKind(
        HazardKind.DIVERGENT_WARP_BARRIER,
        message="{place} is a barrier that the lanes of a warp must execute together, and some do not",
        title="Barrier in divergent code of a warp",
        help=_BARRIER,
        causes=CauseClass.SHAPES,
        explains_deadlocks=True,
        other="where other lanes wait",
    ),
    FindingKind(
        HazardKind.BARRIER_SKIPPED,
        message="{second} exited before the barrier at {line}, at which {thread} waits",
        title="Threads exit before a barrier",
        help=_BARRIER,
        level=Level.WARNING,
        doubt="threads exit before a barrier at which others wait",
        causes=CauseClass.SHAPES,
        explains_differences=True,
        other="where the thread exits",
    ),
    FindingKind(
        HazardKind.CONDITIONAL_BARRIER,
        message="the barrier at {line}, at which {thread} waits, stands in a condition at {other_line} that "
        "{second_thread} does not fulfill",
        title="Barrier in a condition that not all threads fulfill",
        help=_BARRIER,
        causes=CauseClass.SHAPES,
    ),
    FindingKind(
        HazardKind.BARRIER_IMPOSSIBLE,
        message="the barrier at {place} cannot complete",
        title="Barrier that cannot complete",
        help=_BARRIER,
        causes=CauseClass.SHAPES,
    ),
    FindingKind(
        HazardKind.NOT_STARTED,
        message="{place} accesses the shared memory of another block, which may not have started; a barrier of the "
        "cluster, such as cluster.sync(), must come before",
        title="Shared memory of a block that may not have started",
        help=_CLUSTER,
    ),
    FindingKind(
        HazardKind.ENDED,
        message="{place} accesses the shared memory of another block, which may have ended at {other}; a barrier of "
        "the cluster, such as cluster.sync(), must come between",
        title="Shared memory of a block that may have ended",
        help=_CLUSTER,
    ),
    FindingKind(
        HazardKind.WEAK_END,
        message="{place} reads the shared memory of another block before this ends at {other}, by an order that "
        "NVIDIA's own code relies on, and that the PTX ISA does not give",
        title="Read of a block that may end, by a weak order",
        help=_RELEASE,
        level=Level.WARNING,
        doubt="a block may end before a read of its shared memory by the PTX ISA",
    ),
    FindingKind(
        HazardKind.WEAK_ORDER,
        message="{place} overwrites what {other} read, by an order that NVIDIA's own code relies on, and that the "
        "PTX ISA does not give",
        title="Overwritten after a read by a weak order",
        help=_RELEASE,
        level=Level.WARNING,
        doubt="memory is overwritten after a read by an order that the PTX ISA does not give",
    ),
    FindingKind(
        HazardKind.WEAK_READ,
        message="{place} reads what {other} wrote, after a relaxed atomic, a barrier and no fence behind the atomic, "
        "an order that published code relies on, and that the PTX ISA does not give",
        title="Read after a relaxed atomic without a fence",
        help="Execute __threadfence() after the atomic, in the thread that executes it or in those that read.",
        level=Level.WARNING,
        doubt="threads read what other blocks wrote with no fence after the atomic",
        grouping=Grouping.LINES_OF_KIND,
    ),
    FindingKind(
        HazardKind.UNFINISHED_COPY,
        message="{place} copies from or to the shared memory of a block, which may have ended at {other} before the "
        "copy is complete; a thread of the block must wait for the copy",
        title="Bulk copy that may outlive its block",
        help="Let a thread of the block wait for the copy before it exits.",
    ),
    FindingKind(
        HazardKind.PROXY_RACE,
        message="{place} copies what {other} wrote, or overwrites what it accessed, by the async proxy; "
        "fence.proxy.async must come between",
        title="Access and bulk copy without a proxy fence",
        help=_PROXY,
    ),
    FindingKind(
        HazardKind.PROXY_ORDER,
        message="{place} overwrites what {other} read by the async proxy with no fence.proxy.async between, which "
        "NVIDIA's own code relies on, and the PTX ISA does not allow",
        title="Bulk copy after a read without a proxy fence",
        help=_PROXY,
        level=Level.WARNING,
        doubt="a bulk copy overwrites what was read before without a proxy fence",
    ),
    FindingKind(
        HazardKind.ACTIVEMASK,
        message="{place} reads the mask of active lanes, which depends on the schedule",
        title="Depends on the mask of active lanes",
        help="Pass the mask of the lanes that the algorithm needs.",
        level=Level.NOTICE,
    ),
    FindingKind(
        HazardKind.ASSERT_FAILED,
        message="the assertion at {place} fails",
        title="Failed assertion",
        help="Fix the condition, or the input that violates it.",
        causes=CauseClass.VALUES,
    ),
    FindingKind(
        HazardKind.TRAPPED,
        message="{place} executes a trap",
        title="Trap",
        help="The kernel ends itself; fix the condition that leads to it.",
        causes=CauseClass.VALUES,
    ),
    FindingKind(
        HazardKind.DEADLOCK,
        message="the {waits_at} at {place} waits for what never arrives",
        title="Deadlock",
        help=_BARRIER,
        causes=CauseClass.SHAPES,
    ),
    FindingKind(
        HazardKind.ENDLESS,
        message="the loop at {place} does not terminate",
        title="Endless loop",
        help="Make sure that the condition of the loop becomes false.",
        causes=CauseClass.VALUES,
        open_name="loop that did not end",
        open_message="the loop at {place} did not end within the limit of instructions",
    ),
    FindingKind(
        HazardKind.STACK,
        message="the recursion at {place} is too deep",
        title="Recursion too deep",
        help="Limit the depth, or write the recursion as a loop.",
        causes=CauseClass.VALUES,
    ),
    FindingKind(
        HazardKind.INVALID_LAUNCH,
        message="the launch at {place} is invalid",
        title="Launch that no GPU accepts",
        help="Keep the block, the grid and the shared memory within the limits, and check cudaGetLastError().",
    ),
    FindingKind(
        HazardKind.DEPENDENT_RAW,
        message="{kinds}: {place} reads what {other} writes, and {order}",
        title="Read of what an overlapping launch writes",
        help=_WAIT,
        grouping=Grouping.LAUNCHES,
    ),
    FindingKind(
        HazardKind.DEPENDENT_WAR,
        message="{kinds}: {place} overwrites what {other} reads, and {order}",
        title="Write of what an overlapping launch reads",
        help=_WAIT,
        grouping=Grouping.LAUNCHES,
    ),
    FindingKind(
        HazardKind.DEPENDENT_WAW,
        message="{kinds}: {place} overwrites what {other} writes, and {order}",
        title="Write of what an overlapping launch writes",
        help=_WAIT,
        grouping=Grouping.LAUNCHES,
    ),
    FindingKind(
        HazardKind.DEPENDENT_READ_ONLY,
        message="{kinds}: {place} reads what {other} writes, and {order}",
        title="Read-only load of what an overlapping launch writes",
        help="Leave out const with __restrict__, or __ldg, where the launch before writes the memory.",
        grouping=Grouping.LAUNCHES,
    ),
)
KINDS = {row.kind: row for row in _ROWS}


def kinds_of(causes: CauseClass) -> frozenset[HazardKind]:
    """Return the kinds whose reason may be that of a class."""
    return frozenset(row.kind for row in _ROWS if row.causes is causes)


def kinds_in(grouping: Grouping) -> tuple[HazardKind, ...]:
    """Return the kinds that are grouped in one way, in the order of the table."""
    return tuple(row.kind for row in _ROWS if row.grouping is grouping)

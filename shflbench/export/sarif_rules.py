"""The rules of the SARIF output: a title and a help text for each kind of hazard and each verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def rule_id(name: str) -> str:
    """Return the id of a rule from the name of a hazard or a verdict: `same-value` for `SAME_VALUE`."""
    return name.lower().replace("_", "-")


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

HELP: Mapping[str, tuple[str, str]] = {
    "raw": ("Read after write without synchronization", f"A thread reads what another wrote. {_SYNCHRONIZE}"),
    "war": ("Write after read without synchronization", f"A thread overwrites what another reads. {_SYNCHRONIZE}"),
    "waw": ("Write after write without synchronization", f"Two threads write different values. {_SYNCHRONIZE}"),
    "same-value": ("Equal values written without synchronization", f"Two threads write one value. {_SYNCHRONIZE}"),
    "atomic-race": (
        "Race between an atomic and another access",
        "Access the memory by atomics of one size, whose scope includes both threads, or order the accesses.",
    ),
    "guess": (
        "Plain read of what compare-and-swap changes",
        "Nothing but the number of iterations depends on it; a volatile or relaxed read is no race.",
    ),
    "unordered": (
        "Volatile or relaxed accesses in no fixed order",
        f"The accesses are no race, but nothing orders them. {_SYNCHRONIZE}",
    ),
    "uninitialized": ("Read of uninitialized memory", "Write the memory before it is read."),
    "uninitialized-unused": ("Read of uninitialized memory without an effect", "Write the memory before it is read."),
    "out-of-bounds": ("Access out of bounds", "Compare the index with the size of the buffer before the access."),
    "misaligned": ("Misaligned access", "Align the address to the size of the access."),
    "read-only": ("Write to read-only memory", "Write to global or shared memory."),
    "other-local": ("Access to a local variable of another thread", "Share values in shared or global memory."),
    "inactive-source": ("Shuffle from a lane that does not execute it", _MASK),
    "absent-value": ("Value from an absent lane that nothing uses", _MASK),
    "not-in-own-mask": ("Lane outside its own mask", _MASK),
    "masks-differ": ("Lanes with different masks", _MASK),
    "exited": ("Mask names lanes that have exited", _MASK),
    "divergent-warp-barrier": ("Barrier in divergent code of a warp", _BARRIER),
    "barrier-skipped": ("Threads exit before a barrier", _BARRIER),
    "conditional-barrier": ("Barrier in a condition that not all threads fulfill", _BARRIER),
    "barrier-impossible": ("Barrier that cannot complete", _BARRIER),
    "not-started": ("Shared memory of a block that may not have started", _CLUSTER),
    "ended": ("Shared memory of a block that may have ended", _CLUSTER),
    "weak-end": ("Read of a block that may end, by a weak order", _RELEASE),
    "weak-order": ("Overwritten after a read by a weak order", _RELEASE),
    "unfinished-copy": (
        "Bulk copy that may outlive its block",
        "Let a thread of the block wait for the copy before it exits.",
    ),
    "proxy-race": ("Access and bulk copy without a proxy fence", _PROXY),
    "proxy-order": ("Bulk copy after a read without a proxy fence", _PROXY),
    "activemask": ("Depends on the mask of active lanes", "Pass the mask of the lanes that the algorithm needs."),
    "assert-failed": ("Failed assertion", "Fix the condition, or the input that violates it."),
    "trapped": ("Trap", "The kernel ends itself; fix the condition that leads to it."),
    "deadlock": ("Deadlock", _BARRIER),
    "endless": ("Endless loop", "Make sure that the condition of the loop becomes false."),
    "stack": ("Recursion too deep", "Limit the depth, or write the recursion as a loop."),
    "dependent-raw": ("Read of what an overlapping launch writes", _WAIT),
    "dependent-war": ("Write of what an overlapping launch reads", _WAIT),
    "dependent-waw": ("Write of what an overlapping launch writes", _WAIT),
    "dependent-read-only": (
        "Read-only load of what an overlapping launch writes",
        "Leave out const with __restrict__, or __ldg, where the launch before writes the memory.",
    ),
    "invalid-launch": (
        "Launch that no GPU accepts",
        "Keep the block, the grid and the shared memory within the limits, and check cudaGetLastError().",
    ),
    "broken": ("Wrong result", "The result depends on the order in which threads run, or is wrong."),
    "doubtful": ("Doubtful", "No difference was seen, but the kernel relies on behavior that is not guaranteed."),
    "dependent": ("The result depends on the schedule", "Equal inputs can lead to different results."),
    "harmless": ("Declared unsafe, and nothing was found", "Declare the variant safe, or check it at other sizes."),
    "needs-arguments": ("Sizes or values are missing", "Give them with --arg, --launch or --shared."),
    "not-compiled": ("Does not compile", "Fix the source, or pass missing folders with -I and macros with -D."),
    "not-checked": ("Not checked", "The kernel uses what the emulator does not support, or takes too long."),
    "removed-store": ("The compiler removed a store", "A race on this memory is no longer in the program."),
    "exchange": (
        "Exchange through shared memory that a shuffle could do",
        "Pass the value by the shuffle that the message names; `shflbench advise FILE --patch` writes it where it can.",
    ),
    "weaker-barrier": (
        "Barrier of the block that orders lanes of one warp only",
        "Write __syncwarp() instead, if all sizes at which you run the kernel are like those of the launches.",
    ),
    "unneeded-barrier": (
        "Barrier of the block that orders nothing",
        "Remove it, if all sizes at which you run the kernel are like those of the launches.",
    ),
}

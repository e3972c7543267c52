"""Say what a user of a variant has to keep in mind, by its mechanism, and name unsafe variants that are faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.ranking import times
from shflbench.core.model import Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.store.columns import Row

_SHUFFLES = (
    "all lanes that the mask names must execute the shuffle: call it where no lane of the warp has branched away or "
    "returned"
)
_SHARED = (
    "shared memory needs a barrier between a write and a read by another thread, and between that read and the next "
    "write; `__syncwarp` is enough within a warp"
)
MECHANISM_NOTES = {
    Mechanism.SHFL: _SHUFFLES,
    Mechanism.HYBRID: f"{_SHARED}; {_SHUFFLES}",
    Mechanism.COLLECTIVE: "all lanes that the mask names must execute the vote, match or reduction: call it where no "
    "lane of the warp has branched away or returned",
    Mechanism.MATRIX: "all 32 lanes of the warp must execute the matrix instruction: call it where no lane of the warp "
    "has branched away or returned",
    Mechanism.SMEM: _SHARED,
    Mechanism.ASYNC: "a thread waits for its own copies only: before other threads read what it has copied, there must "
    "be a barrier",
    Mechanism.CLUSTER: "the shared memory of another block may be used from its start to its end only: a barrier of "
    "the cluster must come before the first use and after the last one",
    Mechanism.ATOMIC: "atomic operations end in any order: sums of floating-point values differ from run to run",
}


def safety_notes(row: Row, unsafe: Iterable[tuple[Row, float]]) -> tuple[str, ...]:
    """Return what to keep in mind about the recommended row; `unsafe` rows are given with their speed relative to it.

    Only unsafe rows that are faster are named.
    """
    notes = [MECHANISM_NOTES[mechanism] for mechanism in MECHANISM_NOTES if mechanism == row.mechanism]
    if row.shape:
        notes.append(f"for {row.grid} blocks of {row.block} threads, {row.variant} launches {row.shape}")
    notes += [
        f"{other.variant} runs at {times(speed)} the speed, but is unsafe: the memory model does not guarantee its "
        f"result{_matched(other)}"
        for other, speed in unsafe
        if speed > 1
    ]
    return tuple(notes)


def _matched(row: Row) -> str:
    """Return what its verification says, which is no proof."""
    if row.matched is None or row.inputs is None:
        return ""
    return f" (it matched {row.matched} of {row.inputs} inputs in this run, which is no proof)"

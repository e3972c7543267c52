"""Where other threads run between the instructions of straight code: after each access by which threads synchronize.

A compiler unrolls loops, so that a thread may set a flag several times without a branch. Threads that wait for the flag
go on after the first time, and must be able to do so here.
"""

from collections.abc import Sequence
from itertools import pairwise

from shflbench.emulator.link.program import Op
from shflbench.emulator.opcodes.forms import Access, Barrier, Branch, ClusterBarrier, Collective, Exit, Fence, Nothing


def waits_by_memory(ops: Sequence[Op]) -> bool:
    """Return whether threads may learn of others by memory, and thus wait for them."""
    return any(_observes(op) for op in ops)


def interruptions(ops: Sequence[Op]) -> set[int]:
    """Return the numbers of the ops before which other threads may run, as the one before may have notified them."""
    code = [number for number, op in enumerate(ops) if not isinstance(op.form, Nothing)]
    return {after for number, after in pairwise(code) if _notifies(ops[number]) and not _ends(ops[after])}


def _observes(op: Op) -> bool:
    """Return whether threads may learn of others by `op`; volatile loads of shared memory do so with fences only."""
    form = op.form
    if isinstance(form, Fence):
        return True
    if not isinstance(form, Access) or not form.strong or form.kind not in {"ld", "atom"}:
        return False
    return form.kind == "atom" or form.order != "volatile" or form.space != "shared"


def _notifies(op: Op) -> bool:
    """Return whether other threads may go on because of `op`."""
    form = op.form
    return isinstance(form, Fence) or (isinstance(form, Access) and form.strong and form.writes)


def _ends(op: Op) -> bool:
    """Return whether control jumps, ends or waits at `op`, so that other threads run next to it anyway."""
    return isinstance(op.form, Branch | Exit | Barrier | ClusterBarrier | Collective)

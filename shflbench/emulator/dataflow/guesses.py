"""Plain reads that guess the value that a loop of compare-and-swap checks, as in CUDA's programming guide.

    int old = *address, assumed;
    do { assumed = old; old = atomicCAS(address, assumed, f(assumed)); } while (assumed != old);

A wrong guess costs an iteration, and nothing else depends on it. By the letter of the memory model, the read races with
the atomics of other threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Barrier, ClusterBarrier, Collective, Service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op


def is_guess(load: Op, slicer: Slicer) -> bool:
    """Whether only operands of compare-and-swap of the same memory, and the branches around it, depend on a load."""
    if not isinstance(load.form, Access) or load.form.kind != "ld" or load.place is None:
        return False
    depending = {slot.number for slot in load.results if slot is not None}
    swaps: set[int] = set()
    before = -1
    while before != len(depending) + len(swaps):
        before = len(depending) + len(swaps)
        for op in slicer.ops:
            if depending.isdisjoint(_read(op)):
                continue
            if _is_swap(op, load, slicer):
                swaps.add(id(op))
            elif isinstance(op.form, Access | Barrier | ClusterBarrier | Collective | Service):
                return False
            else:
                depending.update(slot.number for slot in op.results if slot is not None)
    return bool(swaps) and not any(
        branch.guard is not None and branch.guard.number in depending
        for op in slicer.ops
        if id(op) not in swaps and _has_effect(op)
        for branch in slicer.all_conditions(op)
    )


def _read(op: Op) -> Iterator[int]:
    """Yield the registers that an op reads."""
    for slot in (*op.sources, op.guard, op.place.base if op.place is not None else None):
        if isinstance(slot, Slot):
            yield slot.number


def _is_swap(op: Op, load: Op, slicer: Slicer) -> bool:
    """Whether an op is a compare-and-swap of the memory that `load` reads."""
    if not isinstance(op.form, Access) or "cas" not in op.instruction.modifiers:
        return False
    spaces = [place.space for place in (op.place, load.place) if place is not None]
    return spaces == spaces[:1] * 2 and slicer.pointers(op) == slicer.pointers(load)


def _has_effect(op: Op) -> bool:
    form = op.form
    return isinstance(form, Barrier | ClusterBarrier | Collective) or (isinstance(form, Access) and form.kind != "ld")

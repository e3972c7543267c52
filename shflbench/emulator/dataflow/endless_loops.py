"""Whether a loop that did not end within the limit of instructions can end at all.

It cannot if nothing leaves it, or if it leaves only once memory holds another value and it writes none itself but by
compare-and-swap or exchange, as locks do: all other threads had their turns meanwhile. A loop that counts may end, and
one that reads a clock ends once enough time has passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.nests import loop_exits
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Barrier, ClusterBarrier, Collective, Service

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

_LOCKS = {"cas", "exch"}


def never_ends(op: Op, slicer: Slicer) -> bool:
    """Return whether a loop around `op` waits for a change that no thread makes, or has no exit."""
    if not slicer.in_loop(op):
        return False
    blocks = slicer.loop_blocks(op)
    inside = [item for block in blocks for item in slicer.ops_in(block)]
    if any(isinstance(item.form, Barrier | ClusterBarrier | Collective) for item in inside) or _reads_clock(inside):
        return False
    exits = [branch for branch in inside if slicer.leaves(branch, blocks)]
    if not exits:
        return True
    return not any(_writes_plainly(item) for item in inside) and not any(_counts(branch, inside) for branch in exits)


def has_no_exit(op: Op, slicer: Slicer) -> bool:
    """Return whether nothing leaves a loop around `op`, whatever its values are."""
    blocks = slicer.loop_blocks(op)
    return slicer.in_loop(op) and not any(
        slicer.leaves(item, blocks) for block in blocks for item in slicer.ops_in(block)
    )


def waits_for_clock(op: Op, slicer: Slicer) -> bool:
    """Return whether a clock decides when the loop around `op`, or one inside it, ends."""
    inside = [item for block in slicer.loop_blocks(op) for item in slicer.ops_in(block)]
    if not _reads_clock(inside):
        return False
    writers = _writers(inside)
    starts = [branch.guard.number for branch in loop_exits(op, slicer) if branch.guard is not None]
    return _reads_clock(item for number in _closure(starts, writers) for item in writers.get(number, ()))


def follows_from_itself(op: Op, slicer: Slicer) -> bool:
    """Return whether no parameter and no other buffer decides until when a loop around `op` polls memory.

    An earlier launch may leave another value there, and a parameter may say which: the number of the launch.
    """
    branches = [branch for branch in slicer.conditions(op) if _depends_on(branch, op, slicer)]
    depends = slicer.of(branches, address_only=True)
    return bool(branches) and depends.parameters <= depends.contents <= slicer.pointers(op)


def _depends_on(branch: Op, op: Op, slicer: Slicer) -> bool:
    """Return whether the condition of a branch is computed from what `op` returns."""
    waiting, seen = [branch.guard.number] if branch.guard is not None else [], set[int]()
    while waiting:
        number = waiting.pop()
        if number not in seen:
            seen.add(number)
            for writer in slicer.writers(number):
                if writer is op:
                    return True
                waiting += [item.number for item in writer.sources if isinstance(item, Slot)]
    return False


def _reads_clock(inside: Iterable[Op]) -> bool:
    return any(isinstance(item.form, Service) and item.form.name == "clock" for item in inside)


def _writes_plainly(op: Op) -> bool:
    form = op.form
    return isinstance(form, Access) and form.kind != "ld" and not _LOCKS & set(op.instruction.modifiers)


def _counts(branch: Op, inside: Iterable[Op]) -> bool:
    """Return whether the condition of `branch` follows from a register that the loop computes from its last value."""
    writers = _writers(inside)
    start = branch.guard.number if branch.guard is not None else -1
    waiting, seen = [start], set[int]()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        for op in writers.get(number, ()):
            sources = {item.number for item in op.sources if isinstance(item, Slot)}
            if not isinstance(op.form, Access):  # what comes from memory does not count by itself
                if number in _closure(sources, writers):
                    return True
                waiting += sources
    return False


def _writers(inside: Iterable[Op]) -> dict[int, list[Op]]:
    """Return the ops that write each register."""
    writers: dict[int, list[Op]] = {}
    for op in inside:
        for slot in op.results:
            if slot is not None:
                writers.setdefault(slot.number, []).append(op)
    return writers


def _closure(numbers: Iterable[int], writers: dict[int, list[Op]]) -> set[int]:
    """Return the registers that `numbers` are computed from within the loop, without those that are loaded."""
    waiting, seen = list(numbers), set[int]()
    while waiting:
        number = waiting.pop()
        if number in seen:
            continue
        seen.add(number)
        for op in writers.get(number, ()):
            if not isinstance(op.form, Access):
                waiting += [item.number for item in op.sources if isinstance(item, Slot)]
    return seen

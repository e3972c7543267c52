"""Data that decide about the stores to shared memory of a kernel."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.specified import exchanges
from shflbench.emulator.dataflow.guards import reached_otherwise
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source


class DataDecide(Enum):
    """What data decide: other data than those of the launches may need other exchanges."""

    NOTHING = 0
    LANE = 1  # which single lane stores: `if (lane == source)`
    THREADS = 2  # which threads store, or where


def data_decide(slicer: Slicer, loads: Sequence[Op]) -> DataDecide:
    """Return what the contents of memory decide about the stores of what `loads` read from shared memory."""
    arrays = [slicer.shared_variables(op) for op in loads]
    stores = [op for op in slicer.ops if exchanges(op) and isinstance(op.form, Access) and op.form.kind != "ld"]
    stores = [op for op in stores if any(_may_meet(slicer.shared_variables(op), array) for array in arrays)]
    if not by_data(slicer, stores):
        return DataDecide.NOTHING
    others = [op for op in stores if not _is_of_one_lane(slicer, op)]
    return DataDecide.THREADS if by_data(slicer, others) else DataDecide.LANE


def _may_meet(one: frozenset[str], other: frozenset[str]) -> bool:
    return not one or not other or not one.isdisjoint(other)


def by_data(slicer: Slicer, ops: Iterable[Op], *, address_only: bool = False) -> bool:
    """Return whether the contents of memory decide where instructions access memory, or whether they do."""
    depends = slicer.of(ops, address_only=address_only)
    return bool(depends.contents) or depends.textures or depends.unknown


def _is_of_one_lane(slicer: Slicer, store: Op) -> bool:
    """Whether data decide nothing about a store but which lane it is that executes it."""
    if by_data(slicer, [store], address_only=True):
        return False
    guarded = [op for op in (store, *slicer.all_conditions(store)) if _is_guarded_by_data(slicer, op)]
    return all(_runs_where_equal(slicer, op, store) for op in guarded)


def _is_guarded_by_data(slicer: Slicer, op: Op) -> bool:
    return op.guard is not None and by_data(slicer, slicer.writers(op.guard.number))


def _runs_where_equal(slicer: Slicer, op: Op, store: Op) -> bool:
    """Whether a store runs only where a number of the thread's own equals one that data give, by the guard of `op`."""
    guard = op.guard
    if guard is None or len(writers := slicer.writers(guard.number)) != 1:
        return False
    (setp,) = writers
    if setp.instruction.opcode != "setp" or len(setp.sources) != 2:  # noqa: PLR2004  (compared)
        return False
    relation = setp.instruction.modifiers[0]
    if relation not in {"eq", "ne"} or {_of_thread(slicer, source) for source in setp.sources} != {True, False}:
        return False
    holds = (relation == "eq") != guard.negated  # the guard, where both are equal
    return holds if op is store else slicer.block_of(store) not in reached_otherwise(slicer, op, holds=holds)


def _of_thread(slicer: Slicer, source: Source) -> bool:
    """Whether the coordinates of the thread decide on an operand, and no data."""
    if not isinstance(source, Slot):
        return False
    if slicer.special(source.number):
        return True
    writers = slicer.writers(source.number)
    return slicer.of(writers).launch and not by_data(slicer, writers)

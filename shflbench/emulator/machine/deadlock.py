"""Say who waits where, and for whom, when no thread can continue."""

from collections.abc import Sequence

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.block_barriers import form_of
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.barriers import meeting_place, member_masks
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.groups import ConvergedGroup, waiting_threads
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import FULL_MASK, Barrier, ClusterBarrier, Collective, Values
from shflbench.emulator.opcodes.mbarriers import arrivals_of, bytes_of, phase_of


class DeadlockError(KernelFault):
    """Threads wait for others that never arrive."""


def deadlock(state: State, groups: Sequence[ConvergedGroup]) -> DeadlockError:
    """Return the fault of a launch none of whose live threads can continue, and report what it may follow from.

    That are warps divided between barriers, and lanes that wait with a mask which does not name them.
    """
    waiting = [(group, group.waits_at) for group in groups if group.waits_at is not None]
    _report_divided(state, [group for group, op in waiting if form_of(op) is not None])
    _report_outside(state, [(group, op) for group, op in waiting if _has_mask(op)])
    counts: dict[str, int] = {}
    for group, op in waiting:
        where = f"`{op.instruction.text}` ({op.instruction.where})"
        counts[where] = counts.get(where, 0) + group.members.count
    places = ", ".join(f"{count} threads wait at {where}" for where, count in counts.items())
    live = int(np.count_nonzero(state.alive))
    ended = state.shape.grid * state.shape.block - live
    first, op = min(waiting, key=lambda item: int(item[0].members.threads[0]))
    thread = int(first.members.threads[0])
    missing = _missing(state, waiting, first, op)
    detail = ""
    if missing.size:
        others = f" and {missing.size - 1} others" if missing.size > 1 else ""
        detail = f"{state.shape.describe(thread)} waits for {state.shape.describe(int(missing[0]))}{others}"
    parts = (f"deadlock in {state.program.name}: {places}", f"{ended} have exited" if ended else "", detail)
    return DeadlockError(
        ", ".join(part for part in parts if part),
        "All threads that a barrier or a mask names must reach it.",
        kind=FaultKind.DEADLOCK,
        op=op,
        threads=tuple(state.shape.in_block(int(one)) for one in (thread, *missing[:1])),
        detail=detail,
        elsewhere=next((at for group, at in waiting if missing.size and missing[0] in group.members.threads), None),
        full_mask=_has_mask(op) and int(member_masks(state, first)[0]) == FULL_MASK,
    )


def deadlock_in_memory(state: State, group: ConvergedGroup, op: Op, space: MemorySpace, element: int) -> DeadlockError:
    """Return the fault of a launch whose threads test barriers in memory that nobody arrives at any more."""
    word = space.view("u8")[element : element + 1]
    _, in_part = divmod(element * 8, space.stride)
    offset = in_part if space.parts > 1 else space.offset_of(element * 8)
    name = space.label(space.allocation(offset, 8)) if space.allocations else "the barrier in memory"
    pending, expected = (int(part[0]) for part in arrivals_of(word))
    lacks = [f"{pending} of {expected} arrivals"] if pending else []
    if bytes_ := int(bytes_of(word)[0]):
        lacks.append(f"{bytes_} bytes" if bytes_ > 0 else f"{-bytes_} bytes to be expected, which have come")
    thread = int(group.members.threads[0])
    detail = f"{name} waits for {' and '.join(lacks) or 'a wait'} in phase {int(phase_of(word)[0])}"
    return DeadlockError(
        f"deadlock in {state.program.name}: {state.shape.describe(thread)} waits at "
        f"`{op.instruction.text}` ({op.instruction.where}), {detail}",
        "Let as many threads arrive as the barrier counts, and wait for the parity of the phase that is not complete.",
        kind=FaultKind.DEADLOCK,
        op=op,
        threads=(state.shape.in_block(thread),),
        detail=detail,
    )


def _report_divided(state: State, groups: list[ConvergedGroup]) -> None:
    """Report warps whose lanes wait at different barriers of the block."""
    if groups:
        threads, _, places, ops = waiting_threads(groups)
        for observer in state.observers:
            observer.meet(threads, threads // WARP, places, ops)


def _has_mask(op: Op) -> bool:
    """Whether lanes wait at `op` for those that a mask names."""
    return isinstance(op.form, Collective) or (isinstance(op.form, Barrier) and not op.form.whole_block)


def _report_outside(state: State, waiting: Sequence[tuple[ConvergedGroup, Op]]) -> None:
    """Report lanes that their own masks do not name."""
    for group, op in waiting:
        threads = group.members.threads
        outside = member_masks(state, group) >> (threads % WARP).astype(np.uint32) & np.uint32(1) == 0
        for observer in state.observers if outside.any() else ():
            observer.stand_outside(op, threads[outside])


def _missing(state: State, waiting: Sequence[tuple[ConvergedGroup, Op]], group: ConvergedGroup, op: Op) -> Values:
    """Return the live threads that the first thread of a waiting group waits for, if it is certain which ones."""
    thread = int(group.members.threads[0])
    if isinstance(op.form, ClusterBarrier):
        return state.cluster_barriers.missing(thread)
    whole_block = isinstance(op.form, Barrier) and op.form.whole_block
    if isinstance(op.form, Barrier) and op.form.counted:
        return np.empty(0, np.intp)
    part = state.shape.lanes_per_block if whole_block else WARP
    start = thread // part * part
    named = np.arange(start, start + part)
    if not whole_block:
        mask = int(member_masks(state, group)[0])
        named = named[mask >> np.arange(WARP) & 1 == 1]
    place = meeting_place(op, None)
    present = np.concatenate([other.members.threads for other, at in waiting if meeting_place(at, None) == place])
    return named[state.alive.reshape(-1)[named] & ~np.isin(named, present)]

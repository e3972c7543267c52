"""Find the waiting threads that can continue: at barriers, and at collective instructions of a warp."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.machine.block_votes import vote
from shflbench.emulator.machine.collective import constant, execute_collective
from shflbench.emulator.machine.groups import ConvergedGroup, waiting_threads
from shflbench.emulator.machine.named_barriers import NamedBarriers, mixed_forms, report_skipped
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import FULL_MASK, Barrier, ClusterBarrier, Collective, Values


def involves_all(op: Op, named: NamedBarriers | None) -> bool:
    """Return whether `op` involves all lanes of its warps, or all threads of its block, for any register values."""
    if isinstance(op.form, Barrier) and op.form.whole_block:
        return not op.form.reduce and named is None
    place = 0 if isinstance(op.form, Barrier) else op.form.mask if isinstance(op.form, Collective) else None
    return place is not None and op.sources[place] == FULL_MASK


def releases(
    state: State, groups: Iterable[ConvergedGroup], named: NamedBarriers | None, *, same_mask: bool = True
) -> Iterator[tuple[list[ConvergedGroup], Values]]:
    """Yield waiting groups that meet, with the threads of them that can continue, in ascending order.

    `named` holds the barriers of blocks if some of them do not concern whole blocks.
    With `same_mask`, lanes meet only those that pass the same mask, as CUDA defines it. Without, a lane also meets
    those that wait with another mask: this resolves, and reports, what would be a deadlock otherwise.
    """
    waiting: dict[object, list[ConvergedGroup]] = {}
    for group in groups:
        if group.waits_at is not None:
            waiting.setdefault(meeting_place(group.waits_at, named), []).append(group)
    for meeting in waiting.values():
        form = meeting[0].waits_at.form if meeting[0].waits_at else None
        if isinstance(form, ClusterBarrier):
            free = state.cluster_barriers.continuing(meeting, state.observers)
        elif isinstance(form, Barrier) and form.whole_block:
            free = _complete_blocks(state, meeting) if named is None else named.continuing(meeting)
        else:
            free = _complete_masks(state, meeting, same_mask=same_mask)
        if free.size:
            yield meeting, free


def meeting_place(op: Op, named: NamedBarriers | None) -> object:
    """Return what threads must have in common to meet: barriers of one kind, or collectives with the same qualifiers.

    Lanes may stand in different branches: each waits "until all non-exited threads corresponding to membermask have
    executed shfl.sync with the same qualifiers and same membermask value" (PTX ISA 9.0, 9.7.9.6; `vote.sync`,
    `match.sync`, `redux.sync` and `elect.sync` likewise).
    """
    if isinstance(op.form, ClusterBarrier):
        return "cluster"
    if not isinstance(op.form, Barrier):
        return op.instruction.opcode, frozenset(op.instruction.modifiers)  # CUB writes `vote.ballot.sync`, too
    if not op.form.whole_block:
        return "warp"
    return op.sources[:1] if named is None else "block"


def _complete_blocks(state: State, groups: list[ConvergedGroup]) -> Values:
    """Execute the barrier for blocks all of whose live threads wait, and return the threads of these blocks."""
    threads, _, places, ops = waiting_threads(groups)
    blocks = state.shape.block_of(threads)
    waiting = np.bincount(blocks, minlength=state.shape.grid)
    alive = state.alive.reshape(state.shape.grid, -1).sum(axis=1)
    complete = (waiting == alive) & (waiting > 0)
    chosen = complete[blocks]
    free: Values = threads[chosen]
    if free.size:
        waiting_at = _by_op(threads[chosen], places[chosen], ops)
        _check_forms(state, waiting_at)
        met: tuple[Values, Sequence[Op]] = (places[chosen], ops)
        if state.iterations is not None:
            met = state.iterations.places(free, *met)
        for observer in state.observers:
            observer.meet(free, free // WARP, *met)
            observer.synchronize_blocks(np.flatnonzero(complete), ops[0] if len(ops) == 1 else None)
        skipped = complete & (alive < state.shape.block)
        if skipped.any():
            there = skipped[blocks]
            report_skipped(state, ops[places[there][0]], threads[there], np.flatnonzero(skipped))
        vote(state, waiting_at)
    return free


def _by_op(threads: Values, places: Values, ops: Sequence[Op]) -> list[tuple[Op, Values]]:
    """Return the threads that wait at each op."""
    return [(ops[place], threads[places == place]) for place in np.unique(places).tolist()]


def _check_forms(state: State, waiting: Sequence[tuple[Op, Values]]) -> None:
    """Raise KernelFault if threads of one block meet at `bar.red` and at another form of a barrier."""
    if len({op.form for op, _ in waiting}) < 2:  # noqa: PLR2004  (all in the same form)
        return
    forms: dict[int, tuple[str, Op]] = {}
    for op, threads in waiting:
        for block in np.unique(state.shape.block_of(threads)).tolist():
            reduce = op.form.reduce if isinstance(op.form, Barrier) else ""
            other, earlier = forms.setdefault(block, (reduce, op))
            if other != reduce:
                thread = int(threads[state.shape.block_of(threads) == block][0])
                raise mixed_forms(state, op, earlier, thread)


def _complete_masks(state: State, groups: list[ConvergedGroup], *, same_mask: bool) -> Values:
    """Execute the instruction for threads all of whose masks' live lanes wait, and return these threads."""
    threads, order, places, ops = waiting_threads(groups)
    masks = np.concatenate([member_masks(state, group) for group in groups])[order]
    warps, lanes = threads // WARP, (threads % WARP).astype(np.uint32)
    keys, numbers = np.unique(warps << WARP | masks if same_mask else warps, return_inverse=True)
    waiting = np.zeros(keys.size, np.uint32)
    np.bitwise_or.at(waiting, numbers, np.uint32(1) << lanes)
    alive = _words(state.alive)[warps]
    complete = (masks & alive & ~waiting[numbers]) == 0
    free: Values = threads[complete]
    if not free.size:
        return free
    named = masks[complete]
    if state.observers:
        ended = named & _words(state.existing & ~state.alive)[warps[complete]]
        _report_masks(state, _Passing(free, named, ended, places[complete]), ops, same_mask=same_mask)
    if isinstance(ops[0].form, Barrier):
        for observer in state.observers:
            observer.synchronize_lanes(free, named)
    else:
        _follow(state, ops, free, places[complete])
        execute_collective(state, ops, free, places[complete])
    return free


def _follow(state: State, ops: Sequence[Op], threads: Values, places: Values) -> None:
    """Report the ops, each of the threads at its place, that read or write registers which loads write."""
    for place, op in enumerate(ops):
        if state.follower is not None and id(op) in state.loaded_values.ops and (places == place).any():
            state.follower.follow(op, threads[places == place])


@dataclass(frozen=True, slots=True)
class _Passing:
    """Lanes that continue together: the masks that they pass, which of the named lanes have ended, and their places."""

    threads: Values
    masks: Values
    ended: Values
    places: Values  # index of the op of each


def _report_masks(state: State, passing: _Passing, ops: Sequence[Op], *, same_mask: bool) -> None:
    for place in np.unique(passing.places).tolist():
        at = passing.places == place
        for observer in state.observers:
            observer.pass_masks(ops[place], passing.threads[at], passing.masks[at], passing.ended[at])
            if not same_mask:
                observer.meet_other_masks(ops[place], passing.threads[at])


def _words(flags: Values) -> Values:
    """Return one word per warp, with a bit per lane, of flags [warps, 32]."""
    bits = np.uint32(1) << np.arange(WARP, dtype=np.uint32)
    words: Values = np.where(flags, bits, np.uint32(0)).sum(axis=1, dtype=np.uint32)
    return words


def member_masks(state: State, group: ConvergedGroup) -> Values:
    """Return the member mask that each waiting thread passes."""
    op = group.waits_at
    if group.masks is None and op is not None:
        source = op.sources[op.form.mask or 0 if isinstance(op.form, Collective) else 0]
        values = state.gather(source, group.members) if isinstance(source, Slot) else constant(source, "u4")
        group.masks = np.full(group.members.count, values.reshape(-1), np.uint32)
    masks: Values = np.asarray(group.masks)
    return masks

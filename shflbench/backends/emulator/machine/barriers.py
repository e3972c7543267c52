"""Which waiting threads can continue: at barriers, and at collective instructions of a warp."""

from collections.abc import Iterable, Iterator

import numpy as np

from shflbench.backends.emulator.link.program import Op, Slot
from shflbench.backends.emulator.machine.collective import constant, execute_collective
from shflbench.backends.emulator.machine.groups import ConvergedGroup
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.machine.threads import scattered
from shflbench.backends.emulator.opcodes.forms import FULL_MASK, Barrier, Collective, Values
from shflbench.model import WARP


def involves_all(op: Op) -> bool:
    """Return whether `op` involves all lanes of its warps, or all threads of its block, for any register values."""
    if isinstance(op.form, Barrier) and op.form.whole_block:
        return not op.form.reduce
    place = 0 if isinstance(op.form, Barrier) else op.form.mask if isinstance(op.form, Collective) else None
    return place is not None and op.sources[place] == FULL_MASK


def releases(
    state: State, groups: Iterable[ConvergedGroup], *, same_mask: bool = True
) -> Iterator[tuple[list[ConvergedGroup], Values]]:
    """Yield waiting groups that meet, with the threads of them that can continue, in ascending order.

    With `same_mask`, lanes meet only those that pass the same mask, as CUDA defines it. Without, a lane also meets
    those that wait with another mask: this resolves, and reports, what would be a deadlock otherwise.
    """
    waiting: dict[object, list[ConvergedGroup]] = {}
    for group in groups:
        if group.waits_at is not None:
            waiting.setdefault(_meeting(group.waits_at), []).append(group)
    for meeting in waiting.values():
        form = meeting[0].waits_at.form if meeting[0].waits_at else None
        if isinstance(form, Barrier) and form.whole_block:
            free = _complete_blocks(state, meeting)
        else:
            free = _complete_masks(state, meeting, same_mask=same_mask)
        if free.size:
            yield meeting, free


def _meeting(op: Op) -> object:
    """Return what threads must have in common to meet: barriers of one kind meet, collectives only with themselves."""
    if not isinstance(op.form, Barrier):
        return id(op)
    return op.sources[:1] if op.form.whole_block else "warp"


def _complete_blocks(state: State, groups: list[ConvergedGroup]) -> Values:
    """Execute the barrier for blocks all of whose live threads wait, and return the threads of these blocks."""
    threads, _, places, ops = _waiting(groups)
    blocks = state.shape.block_of(threads)
    waiting = np.bincount(blocks, minlength=state.shape.grid)
    alive = state.alive.reshape(state.shape.grid, -1).sum(axis=1)
    complete = (waiting == alive) & (waiting > 0)
    chosen = complete[blocks]
    free: Values = threads[chosen]
    if free.size:
        for observer in state.observers:
            observer.meet(free, blocks[chosen], places[chosen], ops)
            observer.synchronize_blocks(np.flatnonzero(complete))
        _reduce(state, groups, complete)
    return free


def _complete_masks(state: State, groups: list[ConvergedGroup], *, same_mask: bool) -> Values:
    """Execute the instruction for threads all of whose masks' live lanes wait, and return these threads."""
    threads, order, places, ops = _waiting(groups)
    masks = np.concatenate([_masks(state, group) for group in groups])[order]
    warps, lanes = threads // WARP, (threads % WARP).astype(np.uint32)
    keys, numbers = np.unique(warps << WARP | masks if same_mask else warps, return_inverse=True)
    waiting = np.zeros(keys.size, np.uint32)
    np.bitwise_or.at(waiting, numbers, np.uint32(1) << lanes)
    alive = _words(state.alive)[warps]
    complete = (masks & alive & ~waiting[numbers]) == 0
    free: Values = threads[complete]
    if not free.size:
        return free
    op, named = ops[0], masks[complete]
    for observer in state.observers:
        observer.pass_masks(op, free, named, named & ~alive[complete])
        if not same_mask:
            observer.meet_other_masks(op, free)
    if isinstance(op.form, Barrier):
        for observer in state.observers:
            observer.meet(free, numbers[complete], places[complete], ops)
            observer.synchronize_lanes(free, named)
    else:
        execute_collective(state, op, free)
    return free


def _waiting(groups: list[ConvergedGroup]) -> tuple[Values, Values, Values, list[Op]]:
    """Return the threads of waiting groups, their order, the place of each one's op, and the ops; threads ascend."""
    ops = list({id(group.waits_at): group.waits_at for group in groups if group.waits_at is not None}.values())
    numbers = {id(op): number for number, op in enumerate(ops)}
    places = np.repeat([numbers[id(group.waits_at)] for group in groups], [group.members.count for group in groups])
    threads = np.concatenate([group.members.threads for group in groups])
    order = np.argsort(threads)
    return threads[order], order, places[order], ops


def _words(flags: Values) -> Values:
    """Return one word per warp, with a bit per lane, of flags [warps, 32]."""
    bits = np.uint32(1) << np.arange(WARP, dtype=np.uint32)
    words: Values = np.where(flags, bits, np.uint32(0)).sum(axis=1, dtype=np.uint32)
    return words


def _masks(state: State, group: ConvergedGroup) -> Values:
    """Return the member mask that each waiting thread passes."""
    op = group.waits_at
    if group.masks is None and op is not None:
        source = op.sources[op.form.mask or 0 if isinstance(op.form, Collective) else 0]
        values = state.gather(source, group.members) if isinstance(source, Slot) else constant(source, "u4")
        group.masks = np.full(group.members.count, values.reshape(-1), np.uint32)
    masks: Values = np.asarray(group.masks)
    return masks


def _reduce(state: State, groups: list[ConvergedGroup], complete: Values) -> None:
    """Write the block-wide count, conjunction or disjunction of predicates for the threads of complete blocks."""
    form = groups[0].waits_at.form if groups[0].waits_at else None
    if not isinstance(form, Barrier) or not form.reduce:
        return
    yes = np.zeros(state.shape.grid, np.int64)
    members = np.zeros(state.shape.grid, np.int64)
    for group in groups:
        op = group.waits_at
        if op is None:
            continue
        source = op.sources[-1]
        flags = state.gather(source, group.members) if isinstance(source, Slot) else constant(source, "?")
        blocks = state.shape.block_of(group.members.threads)
        yes += np.bincount(blocks, np.broadcast_to(flags.reshape(-1), blocks.shape), state.shape.grid).astype(np.int64)
        members += np.bincount(blocks, minlength=state.shape.grid)
    result = {"popc": yes, "and": yes == members, "or": yes > 0}[form.reduce]
    for group in groups:
        op = group.waits_at
        blocks = state.shape.block_of(group.members.threads)
        chosen = complete[blocks]
        if op is not None and op.results[0] is not None and chosen.any():
            state.put(op.results[0], scattered(group.members.threads[chosen]), result[blocks[chosen]])
            state.wrote(op.results)

"""Let threads go on that waited for one another: at barriers, and at instructions of a warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator import doubts
from shflbench.backends.emulator.bind import FULL_MASK, bind
from shflbench.backends.emulator.cohort import scattered
from shflbench.backends.emulator.collective import constant, together
from shflbench.backends.emulator.forms import Barrier, Collective
from shflbench.backends.emulator.program import Op, Slot
from shflbench.model import WARP

if TYPE_CHECKING:
    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.scheduler import Scheduler
    from shflbench.backends.emulator.state import State
    from shflbench.backends.emulator.strands import Strand


def release_everybody(scheduler: Scheduler) -> bool:
    """Let all threads of the launch go on from the one op at which all wait; false if that is not so simple."""
    op = scheduler.strands[0].waits_at
    everybody = scheduler.everybody
    if op is None or everybody is None or scheduler.live != everybody.count or not plain(op):
        return False
    at = scheduler.strands[0].at
    if at not in everybody.steps:
        everybody.steps[at] = bind(scheduler.state, op, everybody)
    everybody.steps[at]()
    after = scheduler.state.program.blocks[at].next
    for strand in scheduler.strands:
        strand.at, strand.waits_at = after, None
    return True


def plain(op: Op) -> bool:
    """Return whether `op` concerns all lanes of its warps, or all threads of its block, whatever the registers hold."""
    if isinstance(op.form, Barrier) and op.form.whole_block:
        return not op.form.reduce
    place = 0 if isinstance(op.form, Barrier) else op.form.mask if isinstance(op.form, Collective) else None
    return place is not None and op.sources[place] == FULL_MASK


def release(scheduler: Scheduler) -> bool:
    """Let all threads go on that wait for nobody any more; return whether there were any."""
    waiting: dict[object, list[Strand]] = {}
    for strand in scheduler.strands:
        op = strand.waits_at
        if op is not None:
            waiting.setdefault(_meeting(op), []).append(strand)
    released = False
    for strands in waiting.values():
        form = strands[0].waits_at.form if strands[0].waits_at else None
        if isinstance(form, Barrier) and form.whole_block:
            released |= _release_blocks(scheduler, strands)
        else:
            released |= _release_warps(scheduler, strands)
    return released


def _meeting(op: Op) -> object:
    """Return what threads must have in common to meet: barriers of one kind meet, collectives only with themselves."""
    if not isinstance(op.form, Barrier):
        return id(op)
    return op.sources[:1] if op.form.whole_block else "warp"


def _release_blocks(scheduler: Scheduler, strands: list[Strand]) -> bool:
    state = scheduler.state
    threads = np.concatenate([strand.cohort.threads for strand in strands])
    blocks = state.shape.block_of(threads)
    here = np.bincount(blocks, minlength=state.shape.grid)
    alive = state.alive.reshape(state.shape.grid, -1).sum(axis=1)
    complete = (here == alive) & (here > 0)
    if not complete.any():
        return False
    free = np.sort(threads[complete[blocks]])
    doubts.note_divergence(state, strands, complete, state.shape.block_of)
    _reduce(state, strands, complete)
    if state.tracker is not None:
        state.tracker.clocks.join_blocks(np.flatnonzero(complete))
    _let_go(scheduler, strands, free)
    return True


def _release_warps(scheduler: Scheduler, strands: list[Strand]) -> bool:
    state = scheduler.state
    threads = np.concatenate([strand.cohort.threads for strand in strands])
    order = np.argsort(threads)
    masks = np.concatenate([_masks(state, strand) for strand in strands])[order]
    threads = threads[order]
    warps, lanes = threads // WARP, (threads % WARP).astype(np.uint32)
    here = np.zeros(state.shape.warps, np.uint32)
    np.bitwise_or.at(here, warps, np.uint32(1) << lanes)
    alive = _words(state.alive)
    complete = (masks & alive[warps] & ~here[warps]) == 0
    if not complete.any():
        return False
    free, named = threads[complete], masks[complete]
    op = strands[0].waits_at
    if op is not None:
        doubts.note_masks(state, op, free, named)
        doubts.note_ended(state, op, free, named & ~alive[free // WARP])
    if isinstance(op, Op) and isinstance(op.form, Barrier):
        flags = np.zeros(state.shape.warps, np.bool_)
        flags[free // WARP] = True
        doubts.note_divergence(state, strands, flags, lambda members: members // WARP)
        if state.tracker is not None:
            state.tracker.join_lanes(free, named)
    elif op is not None:
        together(state, op, free)
    _let_go(scheduler, strands, free)
    return True


def _words(flags: Values) -> Values:
    """Return one word a warp of flags [warps, 32]."""
    bits = np.uint32(1) << np.arange(WARP, dtype=np.uint32)
    words: Values = np.where(flags, bits, np.uint32(0)).sum(axis=1, dtype=np.uint32)
    return words


def _masks(state: State, strand: Strand) -> Values:
    """Return the member mask that each waiting thread passes."""
    op = strand.waits_at
    if op is None:
        raise AssertionError(strand)
    place = op.form.mask if isinstance(op.form, Collective) and op.form.mask is not None else 0
    source = op.sources[place]
    masks = state.gather(source, strand.cohort) if isinstance(source, Slot) else constant(source, "u4")
    result: Values = np.broadcast_to(masks.reshape(-1), (strand.cohort.count,)).astype(np.uint32)
    return result


def _reduce(state: State, strands: list[Strand], complete: Values) -> None:
    """Give the threads of complete blocks the block-wide count, conjunction or disjunction of their predicates."""
    form = strands[0].waits_at.form if strands[0].waits_at else None
    if not isinstance(form, Barrier) or not form.reduce:
        return
    yes = np.zeros(state.shape.grid, np.int64)
    members = np.zeros(state.shape.grid, np.int64)
    for strand in strands:
        op = strand.waits_at
        if op is None:
            continue
        source = op.sources[-1]
        flags = state.gather(source, strand.cohort) if isinstance(source, Slot) else constant(source, "?")
        blocks = state.shape.block_of(strand.cohort.threads)
        yes += np.bincount(blocks, np.broadcast_to(flags.reshape(-1), blocks.shape), state.shape.grid).astype(np.int64)
        members += np.bincount(blocks, minlength=state.shape.grid)
    result = {"popc": yes, "and": yes == members, "or": yes > 0}[form.reduce]
    for strand in strands:
        op = strand.waits_at
        blocks = state.shape.block_of(strand.cohort.threads)
        chosen = complete[blocks]
        if op is not None and op.results[0] is not None and chosen.any():
            state.put(op.results[0], scattered(strand.cohort.threads[chosen]), result[blocks[chosen]])
            state.wrote(op.results)


def _let_go(scheduler: Scheduler, strands: list[Strand], free: Values) -> None:
    """Move the threads `free` past the op that they waited at; others of their strands keep waiting."""
    for strand in strands:
        chosen = np.isin(strand.cohort.threads, free, assume_unique=True)
        if not chosen.any():
            continue
        going = strand
        if not chosen.all():
            threads = strand.cohort.threads
            going, staying = strand.split(threads[chosen], threads[~chosen])
            scheduler.strands.remove(strand)
            scheduler.strands += (going, staying)
        going.at, going.waits_at = scheduler.state.program.blocks[going.at].next, None

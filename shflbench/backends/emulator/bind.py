"""Bind one op to a cohort: all that can be decided before it runs is decided here, once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.access import Transfer, access
from shflbench.backends.emulator.cohort import scattered
from shflbench.backends.emulator.collective import WarpCall, constant, together
from shflbench.backends.emulator.findings import Kind
from shflbench.backends.emulator.forms import Access, Barrier, Collective, Pure
from shflbench.backends.emulator.program import Slot
from shflbench.model import WARP

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.backends.emulator.cohort import Cohort
    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.program import Op
    from shflbench.backends.emulator.state import State

    Step = Callable[[], object]

FULL_MASK = 0xFFFFFFFF


def bind(state: State, op: Op, cohort: Cohort) -> Step:
    """Return a function that carries out `op` for `cohort` whenever it is called."""
    form = op.form
    if isinstance(form, Collective) and form.mask is None:
        return partial(_active, state, op, cohort)
    if cohort.view is None or (op.guard is not None and isinstance(form, Access)):
        return partial(_scattered, state, op, cohort)
    if isinstance(form, Barrier):
        return _barrier(state, op, cohort)
    return _noting(state, op, _view(state, op, cohort))


def inlines(op: Op, cohort: Cohort) -> bool:
    """Return whether nobody in `cohort` has to wait at `op`, as all whom it concerns belong to the cohort."""
    form = op.form
    if isinstance(form, Barrier):
        if form.whole_block:
            return cohort.whole_blocks and not form.reduce
        return cohort.whole_warps and op.sources[0] == FULL_MASK
    return isinstance(form, Collective) and cohort.whole_warps and op.sources[form.mask or 0] == FULL_MASK


def _noting(state: State, op: Op, step: Step) -> Step:
    """Return `step`, followed by a note of the watched registers that it writes."""
    watched = tuple(slot for slot in op.results if slot is not None and slot.number in state.program.watched)
    if not watched:
        return step

    def noting() -> None:
        step()
        state.wrote(watched)

    return noting


def _view(state: State, op: Op, cohort: Cohort) -> Step:
    """Return the step for a cohort that sees the registers as views: operands are looked up once."""
    form, views = op.form, _Views(state, op, cohort)
    sources = [views.operand(source, type_) for source, type_ in zip(op.sources, form.operands, strict=True)]
    results = [views.result(slot, type_) for slot, type_ in zip(op.results, form.results, strict=True)]
    step: Step
    match form:
        case Pure():
            step = partial(form.apply, *sources, *results)
        case Access():
            base = op.place.base if op.place is not None else None
            address = views.register(base) if base is not None else None
            step = partial(access, state, op, cohort, Transfer(address, sources, results))
        case Collective():
            call = WarpCall(state, op, views.shape[0], state.thread_numbers[cohort.view], cohort=cohort)
            step = partial(form.apply, call, *sources, *results)
        case _:  # cannot be: branches and ends are no steps
            raise AssertionError(op)
    if not views.before and not views.after:
        return step
    steps = (*views.before, step, *views.after)

    def several() -> None:
        for part in steps:
            part()

    return several


class _Views:
    """How one op sees the registers of a regular cohort, and what has to be done before and after it."""

    def __init__(self, state: State, op: Op, cohort: Cohort) -> None:
        self.state, self.op, self.view = state, op, cohort.view
        self.shape: tuple[int, ...] = state.block_of[cohort.view].shape
        self.before: list[Step] = []
        self.after: list[Step] = []

    def register(self, slot: Slot) -> Values:
        seen: Values = self.state.typed(slot)[self.view]
        return seen

    def operand(self, source: Slot | int, type_: str) -> Values:
        if not isinstance(source, Slot):
            return constant(source, type_)
        seen = self.register(source)
        if not source.negated:
            return seen
        inverted = np.empty(seen.shape, np.bool_)
        self.before.append(partial(np.logical_not, seen, inverted))
        return inverted

    def result(self, slot: Slot | None, type_: str) -> Values:
        """Return where a result is written: the register itself, or a buffer that is extended or blended into it."""
        if slot is None:
            return np.empty(self.shape, type_)
        guard, stored = self.op.guard, self.state.registers[slot.number]
        narrow = type_ != "?" and np.dtype(type_).itemsize < stored.itemsize
        if not narrow and guard is None:
            return self.register(slot)
        buffer = np.empty(self.shape, type_)
        whole = stored if type_ == "?" else stored.view(f"{type_[0]}{stored.itemsize}")
        target = whole[self.view]
        if guard is None:
            self.after.append(partial(np.copyto, target, buffer))
        else:
            self.after.append(partial(_blend, target, buffer, self.register(guard), negated=guard.negated))
        return buffer


def _blend(target: Values, values: Values, guard: Values, *, negated: bool) -> None:
    """Write `values` where the guard holds; selecting is faster than NumPy's `where=`."""
    np.copyto(target, np.where(guard, target, values) if negated else np.where(guard, values, target))


def _scattered(state: State, op: Op, cohort: Cohort) -> None:
    """Carry out `op` for any threads: gather, compute, scatter."""
    form = op.form
    if op.guard is not None:
        flags = state.gather(op.guard, cohort).reshape(-1)
        if not flags.any():
            return
        cohort = scattered(cohort.threads[flags])
    elif cohort.view is not None:
        cohort = scattered(cohort.threads)
    if isinstance(form, Collective):
        together(state, op, cohort.threads)
        return
    sources = [
        state.gather(source, cohort) if isinstance(source, Slot) else constant(source, type_)
        for source, type_ in zip(op.sources, form.operands, strict=True)
    ]
    results = [np.empty(cohort.count, type_) for type_ in form.results]
    if isinstance(form, Access):
        base = op.place.base if op.place is not None else None
        address = state.gather(base, cohort) if base is not None else None
        access(state, op, cohort, Transfer(address, sources, results))
    elif isinstance(form, Pure):
        form.apply(*sources, *results)
    for slot, result in zip(op.results, results, strict=True):
        if slot is not None:
            state.put(slot, cohort, result)
    state.wrote(op.results)


def _active(state: State, op: Op, cohort: Cohort) -> None:
    """Carry out `activemask`, whose result is whoever happens to be here."""
    together(state, op, cohort.threads)
    state.findings.add(Kind.ACTIVEMASK, op.instruction, state.who(cohort.threads[:1]), cohort.count)


def _barrier(state: State, op: Op, cohort: Cohort) -> Step:
    """Return what a barrier does when everybody whom it concerns is in the cohort: it orders accesses."""
    tracker = state.tracker
    if tracker is None:
        return _nothing
    if isinstance(op.form, Barrier) and op.form.whole_block:
        return partial(tracker.clocks.join_blocks, np.arange(state.shape.grid))
    warps = np.unique(cohort.threads // WARP)
    return partial(tracker.clocks.join_warps, warps)


def _nothing() -> None:
    """Do nothing: without a tracker, a barrier that nobody waits at has no effect."""

"""Bind ops to a set of threads: decide once what does not change between executions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.machine.access import Transfer, access
from shflbench.emulator.machine.collective import CollectiveCall, constant, execute_collective
from shflbench.emulator.machine.executors import note_executors
from shflbench.emulator.machine.runtime_services import serve
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet, scatter
from shflbench.emulator.opcodes.forms import (
    FULL_MASK,
    Access,
    Barrier,
    ClusterBarrier,
    Collective,
    Fence,
    ProxyFence,
    Pure,
    Service,
    Values,
)

Step = Callable[[], object]


LONGEST = 1 << 14  # ops of one trace


@dataclass(frozen=True, slots=True)
class Trace:
    """Straight code: steps to call up to a point where control may diverge or lanes have to wait, and the op there."""

    steps: tuple[Step, ...]
    last: Op | None  # a branch, an exit, or an op to wait at; None: control continues at `next`
    at: int  # number of the block that `last` ends
    next: int  # the next block unless `last` jumps


def trace(state: State, members: ThreadSet, start: int, *, one_block: bool) -> Trace:
    """Return the code from `start`; with `one_block` it stops where another group may join."""
    key = ~start if one_block else start
    known = members.code.get(key)
    if known is None:
        known = members.code[key] = _build(state, members, start, one_block=one_block)
    return known


def _build(state: State, members: ThreadSet, start: int, *, one_block: bool) -> Trace:
    steps: list[Step] = []
    block = state.program.blocks[start]
    while True:
        steps += [bind(state, op, members) for op in block.ops]
        if block.last is not None:
            if not _inlines(state, block.last, members):
                return Trace(tuple(steps), block.last, block.start, block.next)
            steps.append(bind(state, block.last, members))
        if one_block or len(steps) > LONGEST or block.next == block.start:
            return Trace(tuple(steps), None, block.start, block.next)
        block = state.program.blocks[block.next]


def bind(state: State, op: Op, members: ThreadSet) -> Step:
    """Return a function that executes `op` for `members`."""
    step = _unobserved(state, op, members)
    return partial(_followed, state, op, members, step) if id(op) in state.loaded_values.ops else step


def _followed(state: State, op: Op, members: ThreadSet, step: Step) -> None:
    """Execute an op that reads or writes registers which loads write, and report it if that is asked for."""
    if state.follower is not None:
        flags = slice(None) if op.guard is None else state.gather(op.guard, members).reshape(-1)
        state.follower.follow(op, members.threads[flags])
    step()


def _unobserved(state: State, op: Op, members: ThreadSet) -> Step:
    if members.view is not None and (direct := _direct(state, op)):
        return partial(op.form.apply, *[_view_of(state, item, members) for item in direct])  # type: ignore[union-attr]
    step = _bound(state, op, members)
    return step if op.guard is None else partial(_guarded, state, op, members, step)


def _direct(state: State, op: Op) -> Sequence[Slot | Values]:
    """Return the operands and results of an op that needs no step before or after it; nothing for other ops.

    Most ops are such, and are bound to dozens of sets of threads.
    """
    direct = state.direct.get(id(op))
    if direct is None:
        direct = state.direct[id(op)] = _find_direct(state, op)
    return direct


def _find_direct(state: State, op: Op) -> Sequence[Slot | Values]:
    results = [slot for slot in op.results if slot is not None]
    if not isinstance(op.form, Pure) or op.guard is not None or len(results) < len(op.results):
        return ()
    if any(isinstance(source, Slot) and source.negated for source in op.sources):
        return ()
    if any(state.typed(slot).itemsize != state.registers[slot.number].itemsize for slot in results):
        return ()
    if any(slot.number in state.program.watched for slot in results):
        return ()
    sources = zip(op.sources, op.form.operands, strict=True)
    return (*(item if isinstance(item, Slot) else constant(item, type_) for item, type_ in sources), *results)


def _view_of(state: State, item: Slot | Values, members: ThreadSet) -> Values:
    """Return a register as the members see it, or a constant."""
    if not isinstance(item, Slot):
        return item
    key = (item.number, item.type)
    seen = members.views.get(key)
    if seen is None:
        seen = members.views[key] = state.typed(item)[members.view]
    return seen


def _guarded(state: State, op: Op, members: ThreadSet, step: Step) -> None:
    """Execute an op with a guard, and note whether it has run: its guard holds for some thread."""
    if op.guard is not None and state.guarded.get(id(op), 0) >= 0:
        threads = members.threads[state.gather(op.guard, members).reshape(-1)]
        if threads.size:
            note_executors(state.guarded, id(op), threads)
    step()


def _bound(state: State, op: Op, members: ThreadSet) -> Step:
    form = op.form
    if isinstance(form, Collective) and form.mask is None:
        return partial(_active, state, op, members)
    if isinstance(form, Service):
        return partial(serve, state, op, members)
    if members.view is None or (
        op.guard is not None and isinstance(form, Access | Fence | ProxyFence | ClusterBarrier)
    ):
        return partial(_scattered, state, op, members)
    if isinstance(form, Barrier):
        return _barrier(state, op, members)
    if isinstance(form, Fence | ProxyFence | ClusterBarrier):
        return partial(_signal, state, op, members)
    step = _view(state, op, members)
    watched = [slot for slot in op.results if slot is not None and slot.number in state.program.watched]
    return _noting(state, watched, step) if watched else step


def _inlines(state: State, op: Op, members: ThreadSet) -> bool:
    """Return whether no thread of `members` has to wait at `op`, because all threads that it involves are members."""
    form = op.form
    if isinstance(form, ClusterBarrier):
        return False
    if isinstance(form, Barrier):
        if form.whole_block:
            return members.whole_blocks and not form.reduce and not state.has_named_barriers
        return members.whole_warps and op.sources[0] == FULL_MASK
    return isinstance(form, Collective) and members.whole_warps and op.sources[form.mask or 0] == FULL_MASK


def _noting(state: State, watched: list[Slot], step: Step) -> Step:
    """Return `step` followed by noting which watched registers it writes."""

    def noting() -> None:
        step()
        state.wrote(watched)

    return noting


def _view(state: State, op: Op, members: ThreadSet) -> Step:
    """Return the step for threads that see the registers as views: operands are looked up once."""
    form, views = op.form, _Views(state, op, members)
    sources = [views.operand(source, type_) for source, type_ in zip(op.sources, form.operands, strict=True)]
    results = [views.result(slot, type_) for slot, type_ in zip(op.results, form.results, strict=True)]
    step: Step
    match form:
        case Pure():
            step = partial(form.apply, *sources, *results)
        case Access():
            base = op.place.base if op.place is not None else None
            address = views.register(base) if base is not None else None
            step = partial(access, state, op, members, Transfer(address, sources, results))
        case Collective():
            numbers = state.thread_numbers[members.view]
            call = CollectiveCall(state, op, numbers.shape[0], numbers, members=members)
            step = partial(_collective, call, form, sources, results)
        case _:  # impossible: branches and exits are no steps
            raise AssertionError(op)
    if not views.before and not views.after:
        return step
    steps = (*views.before, step, *views.after)

    def several() -> None:
        for part in steps:
            part()

    return several


def _collective(call: CollectiveCall, form: Collective, sources: Sequence[Values], results: Sequence[Values]) -> None:
    """Execute a collective instruction of whole warps."""
    state, op = call.state, call.op
    if state.observers and call.members is not None:
        lanes = call.members.count if op.guard is None else int(state.gather(op.guard, call.members).sum())
        for observer in state.observers:
            observer.collective(op, lanes)
    form.apply(call, *sources, *results)


class _Views:
    """The registers of a regular set of threads as views for one op, and the steps needed before and after it."""

    def __init__(self, state: State, op: Op, members: ThreadSet) -> None:
        self.state, self.op, self.members = state, op, members
        self.before: list[Step] = []
        self.after: list[Step] = []

    def register(self, slot: Slot) -> Values:
        return _view_of(self.state, slot, self.members)

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
        """Return the array for a result: the register itself, or a buffer that is widened or blended into it."""
        if slot is None:
            return np.empty(self.state.alive[self.members.view].shape, type_)
        guard, seen, stored = self.op.guard, self.register(slot), self.state.registers[slot.number]
        if guard is None and seen.itemsize == stored.itemsize:
            return seen
        buffer = np.empty(seen.shape, type_)
        whole = stored if type_ == "?" else stored.view(f"{type_[0]}{stored.itemsize}")
        target = whole[self.members.view]
        if guard is None:
            self.after.append(partial(np.copyto, target, buffer))
        else:
            self.after.append(partial(_blend, target, buffer, self.register(guard), negated=guard.negated))
        return buffer


def _blend(target: Values, values: Values, guard: Values, *, negated: bool) -> None:
    """Write `values` where the guard holds; selecting is faster than NumPy's `where=`."""
    np.copyto(target, np.where(guard, target, values) if negated else np.where(guard, values, target))


def _scattered(state: State, op: Op, members: ThreadSet) -> None:
    """Execute `op` for any threads: gather, compute, scatter."""
    form = op.form
    if op.guard is not None:
        flags = state.gather(op.guard, members).reshape(-1)
        if not flags.any():
            return
        members = scatter(members.threads[flags])
    elif members.view is not None:
        members = scatter(members.threads)
    if isinstance(form, Collective):
        execute_collective(state, [op], members.threads)
        return
    sources = [
        state.gather(source, members) if isinstance(source, Slot) else constant(source, type_)
        for source, type_ in zip(op.sources, form.operands, strict=True)
    ]
    results = [np.empty(members.count, type_) for type_ in form.results]
    if isinstance(form, Access):
        base = op.place.base if op.place is not None else None
        address = state.gather(base, members) if base is not None else None
        access(state, op, members, Transfer(address, sources, results))
    elif isinstance(form, Fence | ProxyFence | ClusterBarrier):
        _signal(state, op, members)
    elif isinstance(form, Pure):
        form.apply(*sources, *results)
    for slot, result in zip(op.results, results, strict=True):
        if slot is not None:
            state.put(slot, members, result)
    state.wrote(op.results)


def _signal(state: State, op: Op, members: ThreadSet) -> None:
    """Let threads arrive at the barrier of their clusters, or report a fence: memory is coherent here."""
    if isinstance(op.form, ClusterBarrier):
        state.cluster_barriers.arrive(op, members.threads, state.observers)
        return
    for observer in state.observers:
        (observer.fence if isinstance(op.form, Fence) else observer.proxy_fence)(op, members.threads)


def _active(state: State, op: Op, members: ThreadSet) -> None:
    """Execute `activemask`: its result is the lanes that execute it now."""
    execute_collective(state, [op], members.threads)
    for observer in state.observers:
        observer.ask_active(op, members.threads)


def _barrier(state: State, op: Op, members: ThreadSet) -> Step:
    """Return the step of a barrier where all threads that it involves are members: no thread waits."""
    whole_block = isinstance(op.form, Barrier) and op.form.whole_block
    part = state.shape.lanes_per_block if whole_block else WARP
    blocks_or_warps = np.unique(members.threads // part)

    def synchronize() -> None:
        for observer in state.observers:
            (observer.synchronize_blocks if whole_block else observer.synchronize_warps)(blocks_or_warps, op)

    return synchronize

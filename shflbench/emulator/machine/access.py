"""Execute loads, stores and atomics.

Atomics on one address execute one after the other, in the order of the threads' numbers. Where the launch drops what
faults, the accesses of the other threads are executed, and loads that were dropped return zeros.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.dropped import DroppedAccesses
from shflbench.emulator.machine.locate import addresses_of, by_space, fault_of, faulty, locate
from shflbench.emulator.machine.memory import Fault, MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet, scatter
from shflbench.emulator.opcodes.forms import Access, Apply, Values
from shflbench.emulator.opcodes.sequences import sequence


@dataclass(frozen=True, slots=True)
class Transfer:
    """The arrays of one access, of the members' shape: addresses, values to store, arrays for loaded values."""

    base: Values | None  # None: the address is a constant
    values: Sequence[Values]
    out: Sequence[Values]


def access(state: State, op: Op, members: ThreadSet, transfer: Transfer) -> None:
    """Execute `op` for the threads of `members`; KernelFault if an access is out of bounds or misaligned."""
    try:
        space, index, flat = locate(state, op, members, transfer.base)
    except Fault as fault:
        if state.dropped is None:
            raise fault_of(state, op, int(members.threads[fault.position]), fault) from fault
        _drop(state, state.dropped, op, members, transfer)
        return
    form: Access = op.form  # type: ignore[assignment]
    if space is None:
        _split(state, op, members, transfer)
        return
    if form.is_barrier and state.bulk.any and form.kind == "ld":
        state.bulk.test(state.observers, flat)
    credible = _observe(state, op, members, (space, flat), transfer.values)
    if form.atomic:
        done = _exchange(form, space.view(form.type), flat, transfer.values, transfer.out)
        if credible is not None:
            members, flat, done = scatter(members.threads[credible]), flat[credible], done[credible]
        for observer in state.observers if members.count else ():
            observer.exchange(op, members, space, flat, done)
        return
    _move(space.view(form.type), index, transfer)
    if form.asynchronous:
        counted = slice(None) if credible is None else credible
        state.copies.start(op, space, members.threads[counted], flat[counted])


def _move(data: Values, index: Values, transfer: Transfer) -> None:
    """Load or store the elements of a vector."""
    for element, target in enumerate(transfer.out):
        data.take(index + element if element else index, None, target, "wrap")
    for element, value in enumerate(transfer.values):
        data[index + element if element else index] = value


def _observe(
    state: State, op: Op, members: ThreadSet, located: tuple[MemorySpace, Values], values: Sequence[Values]
) -> Values | None:
    """Report an access to the observers; return the threads whose accesses count if not those of all do."""
    space, flat = located
    dropped, credible = state.dropped, None
    if dropped is not None and dropped.any_derailed:
        credible = dropped.credible(members.threads)
        dropped.follow(op, members.threads, space, flat)
        values = [np.broadcast_to(value.reshape(-1), flat.shape)[credible] for value in values]
        members, flat = scatter(members.threads[credible]), flat[credible]
    for observer in state.observers if members.count else ():
        observer.access(op, members, space, flat, values)
    return credible


def _drop(state: State, dropped: DroppedAccesses, op: Op, members: ThreadSet, transfer: Transfer) -> None:
    """Execute an access for the threads whose addresses are valid; the others load zeros.

    Raises KernelFault if too many accesses of the launch have been dropped.
    """
    wrong = faulty(state, op, members, transfer.base)
    base = None if transfer.base is None else transfer.base.reshape(-1)[wrong]
    _note(state, dropped, op, members.threads[wrong], base)
    for target in transfer.out:
        target.fill(0)
    if not wrong.all():
        _execute_some(state, op, members, transfer, ~wrong)


def _note(state: State, dropped: DroppedAccesses, op: Op, threads: Values, base: Values | None) -> None:
    """Note the accesses of these threads, all of which are dropped; the fault is that of the first credible one."""
    first = int(np.argmax(dropped.credible(threads)))
    one = slice(first, first + 1)
    try:
        locate(state, op, scatter(threads[one]), None if base is None else base[one])
    except Fault as fault:
        dropped.drop(fault_of(state, op, int(threads[first]), fault), op, threads)
    else:  # impossible: `faulty` agrees with `locate`
        raise AssertionError(op)


def _split(state: State, op: Op, members: ThreadSet, transfer: Transfer) -> None:
    """Execute an access whose threads address different memory spaces, one space after the other."""
    name = op.place.space if op.place is not None else ""
    for _, chosen, _ in by_space(addresses_of(op, members, transfer.base), name):
        if chosen.any():
            _execute_some(state, op, members, transfer, chosen)


def _execute_some(state: State, op: Op, members: ThreadSet, transfer: Transfer, chosen: Values) -> None:
    """Execute an access for the chosen threads; those of the others keep what `out` holds."""
    base = None if transfer.base is None else transfer.base.reshape(-1)[chosen]
    values = [np.broadcast_to(value.reshape(-1), chosen.shape)[chosen] for value in transfer.values]
    results = [np.empty(np.count_nonzero(chosen), target.dtype) for target in transfer.out]
    access(state, op, scatter(members.threads[chosen]), Transfer(base, values, results))
    for target, result in zip(transfer.out, results, strict=True):
        whole = target.reshape(-1)
        whole[chosen] = result
        np.copyto(target, whole.reshape(target.shape))


def _exchange(form: Access, data: Values, index: Values, operands: Sequence[Values], out: Sequence[Values]) -> Values:
    """Update `data[index]`, one thread after the other at each address, and write the old values to `out`.

    Return which threads wrote: a compare-and-swap writes only where it swaps.
    """
    flat = [
        np.broadcast_to(operand, index.shape if operand.ndim == 0 else operand.shape).reshape(-1)
        for operand in operands
    ]
    update = form.update
    if update is None:  # impossible: only atomics are passed
        raise AssertionError(form)
    done = np.ones(index.shape, np.bool_)
    if form.vector > 1:  # element by element
        for element, operand in enumerate(flat):
            _update(update, data, index + element, [operand], out[element : element + 1])
    elif len(flat) > 1:
        old = _update(update, data, index, flat, out)
        done = old == flat[0]
    else:
        _update(update, data, index, flat, out)
    return done


def _update(update: Apply, data: Values, index: Values, operands: Sequence[Values], out: Sequence[Values]) -> Values:
    if not out and isinstance(update, np.ufunc):  # of integers: the order does not matter
        update.at(data, index, operands[0])
        return index
    old = sequence(update, data, index, operands)
    if old is None:
        old = np.empty(index.shape, data.dtype)
        for now in _turns(index):
            old[now] = data[index[now]]
            data[index[now]] = update(old[now], *(operand[now] for operand in operands))
    for target in out:
        np.copyto(target, old.reshape(target.shape))
    return old


def _turns(index: Values) -> list[Values]:
    """Split the positions of `index` into turns, each of which contains every address at most once."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    turn = np.arange(index.size) - np.repeat(starts, np.diff(np.r_[starts, index.size]))
    if not turn.any():
        return [order]
    by_turn = np.argsort(turn, kind="stable")
    return np.split(order[by_turn], np.cumsum(np.bincount(turn))[:-1])

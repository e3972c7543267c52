"""Execute loads, stores and atomics.

Atomics on one address execute one after the other, in the order of the threads' numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.faults import FaultKind, KernelFault
from shflbench.backends.emulator.machine.memory import Fault, MemorySpace
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.machine.threads import ThreadSet, scattered
from shflbench.backends.emulator.opcodes.addresses import GLOBAL_BASE, MODULE_BASE, WINDOWS, window_of
from shflbench.backends.emulator.opcodes.forms import Access, Apply, Values


@dataclass(frozen=True, slots=True)
class Transfer:
    """The arrays of one access, of the members' shape: addresses, values to store, arrays for loaded values."""

    base: Values | None  # None: the address is a constant
    values: Sequence[Values]
    out: Sequence[Values]


def access(state: State, op: Op, members: ThreadSet, transfer: Transfer) -> None:
    """Execute `op` for the threads of `members`; EmulatorError if an access is out of bounds or misaligned."""
    try:
        space, index, flat = _locate(state, op, members, transfer.base)
    except Fault as fault:
        raise _error(state, op, int(members.threads[fault.position]), fault) from fault
    form: Access = op.form  # type: ignore[assignment]
    if space is None:
        _split(state, op, members, transfer)
        return
    data = space.view(form.type)
    for observer in state.observers:
        observer.access(op, members, space, flat, transfer.values)
    match form.kind:
        case "ld":
            for element, target in enumerate(transfer.out):
                data.take(index + element if element else index, None, target, "wrap")
        case "st":
            for element, value in enumerate(transfer.values):
                data[index + element if element else index] = value
            if form.asynchronous:
                state.copies.start(op, space, members.threads, flat)
        case _:
            done = _exchange(form, data, flat, transfer.values, transfer.out)
            for observer in state.observers:
                observer.exchange(op, members, space, flat, done)


def _locate(state: State, op: Op, members: ThreadSet, base: Values | None) -> tuple[MemorySpace | None, Values, Values]:
    """Return the space and the indices of its elements, also as one row; cached until the address register changes."""
    place, form = op.place, op.form
    key = (place, form.type, form.vector)  # type: ignore[union-attr]
    number = place.base.number if place is not None and place.base is not None else -1
    version = state.versions[number] if number >= 0 else 0
    kept = members.kept.get(key)
    if kept is not None and kept[0] == version:
        located: tuple[MemorySpace | None, Values, Values] = kept[1]
        return located
    space, index = _find(state, op, members, base)
    located = space, index, index.reshape(-1)
    if members.view is not None:
        members.kept[key] = (version, located)
    return located


def _find(state: State, op: Op, members: ThreadSet, base: Values | None) -> tuple[MemorySpace | None, Values]:
    place = op.place
    form: Access = op.form  # type: ignore[assignment]
    if place is None:  # impossible: lowering gives every access a place
        raise AssertionError(op)
    shape = base.shape if base is not None else members.threads.shape
    addresses = np.full(shape, place.offset, np.int64) if base is None else base.astype(np.int64) + place.offset
    if base is None and members.view is not None:
        addresses = addresses.reshape(state.block_of[members.view].shape)
    name = place.space
    if not name:
        windows = window_of(addresses.view(np.uint64))
        if windows.min() != windows.max():
            return None, addresses
        window = int(windows.flat[0])
        name = next(space for space, start in WINDOWS.items() if start == window)
        addresses = addresses - window
    if name in {"global", "const"}:
        module = addresses < GLOBAL_BASE
        name = "module" if module.all() and int(addresses.min()) >= MODULE_BASE else "global"
        if (
            name == "global"
            and module.any()
            and int(addresses.max()) >= GLOBAL_BASE
            and int(addresses.min()) >= MODULE_BASE
        ):
            return None, addresses
    space = state.spaces[name]
    parts = None
    if name in {"shared", "local"}:
        all_parts = state.block_of if name == "shared" else state.thread_numbers
        parts = all_parts[members.view] if members.view is not None else all_parts.reshape(-1)[members.threads]
    element = np.dtype(form.type).itemsize
    index = space.locate(addresses, parts, element * form.vector, element)
    if name == "module" and form.writes:
        _refuse_constants(state, space, index.reshape(-1) * element)
    return space, index


def _refuse_constants(state: State, space: MemorySpace, offsets: Values) -> None:
    """Raise Fault if a write concerns a variable in constant memory."""
    for number, place in enumerate(state.program.symbols):
        if place.space == "const":
            inside = (offsets >= place.start) & (offsets < place.start + place.size)
            if inside.any():
                position = int(np.argmax(inside))
                why = f"{space.label(number)} is in constant memory"
                raise Fault(position, why, FaultKind.READ_ONLY, int(offsets[position]) - place.start)


def _split(state: State, op: Op, members: ThreadSet, transfer: Transfer) -> None:
    """Execute an access whose threads address different memory spaces, one thread at a time."""
    addresses = None if transfer.base is None else transfer.base.reshape(-1)
    values = [np.broadcast_to(value.reshape(-1), members.threads.shape) for value in transfer.values]
    results = [np.empty(members.count, target.dtype) for target in transfer.out]
    for position in range(members.count):
        one = slice(position, position + 1)
        part = Transfer(
            None if addresses is None else addresses[one],
            [value[one] for value in values],
            [result[one] for result in results],
        )
        access(state, op, scattered(members.threads[one]), part)
    for target, result in zip(transfer.out, results, strict=True):
        np.copyto(target, result.reshape(target.shape))


def _error(state: State, op: Op, thread: int, fault: Fault) -> KernelFault:
    form: Access = op.form  # type: ignore[assignment]
    verb = {"ld": "reads", "st": "writes"}.get(form.kind, "updates")
    what = {FaultKind.MISALIGNED: "a misaligned address", FaultKind.READ_ONLY: "read-only memory"}
    return KernelFault(
        f"{state.shape.describe(thread)} {verb} {what.get(fault.kind, 'out of bounds')}: "
        f"{fault.why} ({op.instruction.where})",
        "Fix the index computation in that line.",
        kind=fault.kind,
        op=op,
        threads=(state.shape.in_block(thread),),
        detail=fault.why,
        buffer=fault.buffer,
        low=fault.low,
        high=fault.low + fault.size,
    )


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

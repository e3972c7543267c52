"""Find where the threads of an access access memory: the space and the elements, or what is wrong with the address."""

from collections.abc import Iterator

import numpy as np

from shflbench.checker.link.program import MemoryOperand, Op
from shflbench.checker.machine.faults import FaultKind, KernelFault
from shflbench.checker.machine.memory import Fault, MemorySpace
from shflbench.checker.machine.state import State
from shflbench.checker.machine.threads import ThreadSet
from shflbench.checker.opcodes.addresses import BUFFERS_FROM, MODULE_BASE, WINDOWS, window_of
from shflbench.checker.opcodes.forms import Access, Values

_REACH = 1 << 36  # bytes that an index of 32 bits into elements of 16 bytes spans


def locate(state: State, op: Op, members: ThreadSet, base: Values | None) -> tuple[MemorySpace | None, Values, Values]:
    """Return the space and the indices of its elements, also as one row; cached until the address register changes.

    The space is None if the threads access several. Raises Fault if an access is out of bounds or misaligned.
    """
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


def faulty(state: State, op: Op, members: ThreadSet, base: Values | None) -> Values:
    """Return which threads' accesses `locate` raises Fault for, given their address registers as one row."""
    place: MemoryOperand = op.place  # type: ignore[assignment]
    form: Access = op.form  # type: ignore[assignment]
    addresses = addresses_of(op, members, base)
    size = np.dtype(form.type).itemsize * form.vector
    wrong = np.zeros(members.threads.shape, np.bool_)
    for name, chosen, window in by_space(addresses, place.space):
        space = state.spaces[name]
        wrong[chosen] = space.faulty(addresses[chosen] - window, size)
        if name == "module" and form.writes:
            wrong[chosen] |= _constants(state, addresses[chosen] - space.base) >= 0
    return wrong


def addresses_of(op: Op, members: ThreadSet, base: Values | None) -> Values:
    """Return the addresses of an access as one row."""
    place: MemoryOperand = op.place  # type: ignore[assignment]
    if base is None:
        return np.full(members.threads.shape, place.offset, np.int64)
    addresses: Values = base.reshape(-1).astype(np.int64) + place.offset
    return addresses


def by_space(addresses: Values, name: str) -> Iterator[tuple[str, Values, int]]:
    """Yield the spaces of addresses in the space `name`, or generic ones: which lie there, and the space's window."""
    windows = np.full(addresses.shape, WINDOWS[name]) if name else _windows(addresses)
    for space, window in WINDOWS.items():
        chosen = windows == window
        if window:
            yield space, chosen, 0 if name else window
        elif space == "global":
            module = (addresses < BUFFERS_FROM) & (addresses >= MODULE_BASE)
            yield "module", chosen & module, 0
            yield "global", chosen & ~module, 0


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
        windows = _windows(addresses)
        if windows.min() != windows.max():
            return None, addresses
        window = int(windows.flat[0])
        name = next(space for space, start in WINDOWS.items() if start == window)
        addresses = addresses - window
    if name in {"global", "const"}:
        name = "global"
        if np.minimum.reduce(addresses, axis=None) < BUFFERS_FROM:
            module = (addresses < BUFFERS_FROM) & (addresses >= MODULE_BASE)
            if module.all():
                name = "module"
            elif module.any():
                return None, addresses
    space = state.spaces[name]
    starts = _part_starts(state, space, members) if name in {"shared", "local"} else None
    element = np.dtype(form.type).itemsize
    index = space.locate(addresses, starts, element * form.vector, element)
    if name == "module" and form.writes:
        _refuse_constants(state, space, index.reshape(-1) * element)
    return space, index


def _part_starts(state: State, space: MemorySpace, members: ThreadSet) -> Values:
    """Return where the part of a space that belongs to each thread begins, in bytes."""
    kept = members.kept.get(("starts", space.name))
    if kept is None:
        parts = state.block_of if space.name == "shared" else state.thread_numbers
        numbers = parts[members.view] if members.view is not None else parts.reshape(-1)[members.threads]
        kept = members.kept["starts", space.name] = (0, numbers * space.stride)
    starts: Values = kept[1]
    return starts


def _windows(addresses: Values) -> Values:
    """Return the window that each generic address is meant to lie in: it may be far outside, by a wrong index."""
    windows = window_of(addresses.view(np.uint64)).astype(np.int64)
    nowhere = (windows == 0) & (addresses < MODULE_BASE)
    for start in WINDOWS.values() if nowhere.any() else ():
        if start:
            windows[nowhere & (addresses > start - _REACH) & (addresses < start + _REACH)] = start
    return windows


def _refuse_constants(state: State, space: MemorySpace, offsets: Values) -> None:
    """Raise Fault if a write concerns a variable in constant memory."""
    numbers = _constants(state, offsets)
    if numbers.max() >= 0:
        position = int(np.argmax(numbers >= 0))
        number, offset = int(numbers[position]), int(offsets[position])
        why = f"{space.label(number)} is in constant memory"
        raise Fault(position, why, FaultKind.READ_ONLY, offset - state.program.symbols[number].start)


def _constants(state: State, offsets: Values) -> Values:
    """Return the number of the variable in constant memory at each offset of the module's memory, -1 for none."""
    numbers = np.full(offsets.shape, -1)
    for number, place in enumerate(state.program.symbols):
        if place.space == "const":
            numbers[(offsets >= place.start) & (offsets < place.start + place.size)] = number
    return numbers


def fault_of(state: State, op: Op, thread: int, fault: Fault) -> KernelFault:
    """Return the fault of an access by `thread`."""
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

"""Find where the threads of an access access memory: the space and the elements, or what is wrong with the address."""

from collections.abc import Callable, Iterator

import numpy as np

from shflbench.emulator.link.program import MemoryOperand, Op
from shflbench.emulator.machine.distributed import fault_of_block, names_block, places_of
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.memory import Fault, MemorySpace
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.addresses import (
    BUFFERS_FROM,
    MODULE_BASE,
    WINDOW_BYTES,
    WINDOWS,
    owner_bytes,
    window_of,
)
from shflbench.emulator.opcodes.forms import Access, Values

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
        starts: Values | int = window
        if name == "local" and not place.space:
            starts = window + owner_bytes(members.threads[chosen])
        if name == "shared" and state.may_be_distributed:
            wrong[chosen] = _faulty_of_blocks(state, op, members.threads[chosen], addresses[chosen] - window, size)
            continue
        wrong[chosen] = space.faulty(addresses[chosen] - starts, size)
        if name == "module" and form.writes:
            wrong[chosen] |= _constants(state, addresses[chosen] - space.base) >= 0
    return wrong


def _faulty_of_blocks(state: State, op: Op, threads: Values, addresses: Values, size: int) -> Values:
    """Return which accesses to the shared memory of blocks of a cluster are out of bounds or misaligned."""
    form: Access = op.form  # type: ignore[assignment]
    home = state.shape.block_of(threads)
    places = places_of(state, home, addresses)
    wrong: Values = state.spaces["shared"].faulty(places.offsets, size) | (places.blocks < 0)
    if op.place is not None and op.place.space and not form.distributed:
        wrong |= places.blocks != home
    return wrong


def addresses_of(op: Op, members: ThreadSet, base: Values | None) -> Values:
    """Return the addresses of an access as one row."""
    place: MemoryOperand = op.place  # type: ignore[assignment]
    if base is None:
        return np.full(members.threads.shape, place.offset, np.int64)
    return _signed(base.reshape(-1)) + place.offset


def _signed(base: Values) -> Values:
    """Return the values of address registers; those of 32 bits may be negative before an offset is added.

    For `ref[m - threadIdx.x]` compilers keep the address of `ref[-threadIdx.x]` in a register, and add the rest.
    """
    wide: Values = (base.view(np.int32) if base.dtype.itemsize == 4 else base).astype(np.int64)  # noqa: PLR2004
    return wide


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
    addresses = np.full(shape, place.offset, np.int64) if base is None else _signed(base) + place.offset
    if base is None and members.view is not None:
        addresses = addresses.reshape(state.block_of[members.view].shape)
    name = place.space or _space_of(addresses)
    if not name:
        return None, addresses
    if not place.space and WINDOWS[name]:
        addresses = addresses - WINDOWS[name]
        if name == "local":
            addresses -= _of_threads(state, members, "owners", owner_bytes)
    if name in {"global", "const"} and not (name := _global_part(addresses)):
        return None, addresses
    space = state.spaces[name]
    index = _index(state, op, space, members, addresses)
    if name == "module" and form.writes:
        _refuse_constants(state, space, index.reshape(-1) * np.dtype(form.type).itemsize)
    return space, index


def _space_of(addresses: Values) -> str:
    """Return the name of the space that all generic addresses are meant to lie in; "" if there are several."""
    windows = _windows(addresses)
    if windows.min() != windows.max():
        return ""
    window = int(windows.flat[0])
    return next(space for space, start in WINDOWS.items() if start == window)


def _global_part(addresses: Values) -> str:
    """Return whether all addresses in global memory are meant for buffers, or for the module; "" if for both."""
    if np.minimum.reduce(addresses, axis=None) >= BUFFERS_FROM:
        return "global"
    module = (addresses < BUFFERS_FROM) & (addresses >= MODULE_BASE)
    return "module" if module.all() else "" if module.any() else "global"


def _index(state: State, op: Op, space: MemorySpace, members: ThreadSet, addresses: Values) -> Values:
    """Return the indices of the elements at addresses in a space, of which each thread may have a part."""
    if state.may_be_distributed and space.name == "shared" and names_block(addresses):
        return _distributed_index(state, op, space, members, addresses)
    form: Access = op.form  # type: ignore[assignment]
    starts = _part_starts(state, space, members) if space.name in {"shared", "local"} else None
    element = np.dtype(form.type).itemsize
    try:
        return space.locate(addresses, starts, element * form.vector, element)
    except Fault as fault:
        other = _of_other_thread(state, space, members, fault) if space.name == "local" else None
        if other is None:
            raise
        raise other from fault


def _distributed_index(state: State, op: Op, space: MemorySpace, members: ThreadSet, addresses: Values) -> Values:
    """Return the indices of the elements at addresses in the shared memory of blocks of a cluster."""
    form: Access = op.form  # type: ignore[assignment]
    home = _of_threads(state, members, "blocks", state.shape.block_of)
    places = places_of(state, home, addresses)
    fault = fault_of_block(state, form, op.place.space if op.place is not None else "", home, places)
    if fault is not None:
        raise fault
    element = np.dtype(form.type).itemsize
    return space.locate(places.offsets, places.blocks * space.stride, element * form.vector, element)


def _part_starts(state: State, space: MemorySpace, members: ThreadSet) -> Values:
    """Return where the part of a space that belongs to each thread begins, in bytes."""
    if space.name == "shared":
        return _of_threads(state, members, space.name, lambda threads: state.shape.block_of(threads) * space.stride)
    return _of_threads(state, members, space.name, lambda threads: threads * space.stride)


def _of_threads(state: State, members: ThreadSet, name: str, compute: Callable[[Values], Values]) -> Values:
    """Return what `compute` returns for the numbers of the threads; kept by name."""
    kept = members.kept.get(("threads", name))
    if kept is None:
        threads = state.thread_numbers[members.view] if members.view is not None else members.threads
        kept = members.kept["threads", name] = (0, compute(threads))
    values: Values = kept[1]
    return values


def _of_other_thread(state: State, space: MemorySpace, members: ThreadSet, fault: Fault) -> Fault | None:
    """Return the fault of an access to the local memory of another thread if the address lies in it."""
    owners, offset = divmod(fault.offset, WINDOW_BYTES)
    owner = int(members.threads[fault.position]) + owners
    if not owners or not 0 <= owner < state.shape.lanes or offset + fault.size > space.size:
        return None
    label = f"the local memory of {state.shape.describe(owner)}"
    return Fault(fault.position, f"byte {offset} of {label}", FaultKind.OTHER_LOCAL, offset, fault.size, variable=label)


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
    what = {
        FaultKind.MISALIGNED: "a misaligned address",
        FaultKind.READ_ONLY: "read-only memory",
        FaultKind.OTHER_LOCAL: "a local variable of another thread",
    }
    return KernelFault(
        f"{state.shape.describe(thread)} {verb} {what.get(fault.kind, 'out of bounds')}: "
        f"{fault.why} ({op.instruction.where})",
        "Fix the index computation in that line.",
        kind=fault.kind,
        op=op,
        threads=(state.shape.in_block(thread),),
        detail=fault.why,
        variable=fault.variable,
        buffer=fault.buffer,
        low=fault.low,
        high=fault.low + fault.size,
    )

"""Start, group and await bulk copies and asynchronous stores for threads."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shflbench.core.dimensions import MAX_CLUSTER
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy, Region
from shflbench.emulator.machine.distributed import places_of
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.memory import Fault, MemorySpace
from shflbench.emulator.machine.paged_memory import PagedMemory
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.addresses import BUFFERS_FROM, WINDOW_BYTES, own_rank_window
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.opcodes.memory_access import update_of
from shflbench.errors import EmulatorError

_UNIT = 16  # bytes of which a bulk copy has a multiple, and to which its addresses are aligned


def _bulk_copy(state: State, op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    target, source, how = op.instruction.modifiers
    for thread, to, from_, size, barrier, mask in zip(
        threads.tolist(), *(np.asarray(item).reshape(-1).tolist() for item in operands), strict=True
    ):
        if size == 0:
            continue
        read = _region(state, op, thread, source, (from_, size, _UNIT))
        ranks = [rank for rank in range(MAX_CLUSTER) if mask >> rank & 1]
        places = [(_of_rank(to, rank), _of_rank(barrier, rank)) for rank in ranks] or [(to, barrier)]
        for place, counter in places:
            destination = _region(state, op, thread, target, (place, size, _UNIT))
            counted = _barrier(state, op, thread, counter) if how == "barrier" else None
            state.bulk.start(state.observers, BulkCopy(op, thread, destination, read, barrier=counted))
    return ()


def _store_async(state: State, op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    targets, barriers, *columns = (np.asarray(item).reshape(-1) for item in operands)
    *names, type_ = op.instruction.modifiers
    update = update_of(names[0], type_)[0] if names else None
    size = columns[0].dtype.itemsize * len(columns)
    for position, thread in enumerate(threads.tolist()):
        destination = _region(state, op, thread, "shared", (int(targets[position]), size, size))
        values = np.array([column[position] for column in columns], columns[0].dtype)
        counted = _barrier(state, op, thread, int(barriers[position]))
        data = values if names else values.view(np.uint8)
        state.bulk.start(state.observers, BulkCopy(op, thread, destination, None, data, update, counted))
    return ()


def _of_rank(address: int, rank: int) -> int:
    """Return the address of the same byte in the block of a rank."""
    return address % WINDOW_BYTES + int(own_rank_window(rank))


def _barrier(state: State, op: Op, thread: int, address: int) -> int:
    return _region(state, op, thread, "shared", (address, 8, 8)).start // 8


def _region(state: State, op: Op, thread: int, space: str, bytes_: tuple[int, int, int]) -> Region:
    """Return the bytes from an address, given with their number and the alignment; KernelFault if they are none."""
    address, size, alignment = bytes_
    name = space if space == "shared" else "global" if address >= BUFFERS_FROM else "module"
    memory = state.spaces[name]
    if isinstance(memory, PagedMemory):
        message = "bulk copies of some blocks of a large launch are not supported"
        raise EmulatorError(message, "Check a smaller launch with --launch.")
    try:
        _check_alignment(address, size, alignment)
        return Region(name, *_bounds(state, memory, thread, address, size))
    except Fault as fault:
        verb = "a misaligned address" if fault.kind is FaultKind.MISALIGNED else "out of bounds"
        raise KernelFault(
            f"{state.shape.describe(thread)} copies {verb}: {fault.why} ({op.instruction.where})",
            "Fix the address or the number of bytes in that line.",
            kind=fault.kind,
            op=op,
            threads=(state.shape.in_block(thread),),
            detail=fault.why,
            variable=fault.variable,
            buffer=fault.buffer,
            low=fault.low,
            high=fault.low + fault.size,
        ) from fault


def _check_alignment(address: int, size: int, alignment: int) -> None:
    """Raise Fault if bytes do not begin and end at multiples."""
    if address % alignment or size % alignment:
        why = f"{size} bytes at address {address:#x} are not aligned to {alignment}"
        raise Fault(0, why, FaultKind.MISALIGNED, address, size)


def _bounds(state: State, memory: MemorySpace, thread: int, address: int, size: int) -> tuple[int, int]:
    """Return the first byte, and that after the last one, in all parts of a space; Fault if they lie outside."""
    ends = np.array([address, address + size - 1], np.int64)
    starts = None
    if memory.name == "shared":
        places = places_of(state, state.shape.block_of(np.array([thread, thread])), ends)
        if (places.blocks < 0).any():
            raise Fault(
                0, "an address of a rank that the cluster does not have", FaultKind.OUT_OF_BOUNDS, address, size
            )
        ends, starts = places.offsets, places.blocks * memory.stride
    first, last = memory.locate(ends, starts, 1, 1).tolist()
    return first, last + 1


def _bulk_commit(state: State, _op: Op, threads: Values, _operands: Sequence[Values]) -> Sequence[Values]:
    state.bulk.commit(threads)
    return ()


def _bulk_wait(state: State, op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    only_read = "read" in op.instruction.modifiers
    for thread, most in zip(threads.tolist(), np.asarray(operands[0]).reshape(-1).tolist(), strict=True):
        state.bulk.wait(state.observers, thread, most, only_read=only_read)
    return ()


BULK_SERVICES: Mapping[str, Callable[[State, Op, Values, Sequence[Values]], Sequence[Values]]] = {
    "bulk_copy": _bulk_copy,
    "bulk_commit": _bulk_commit,
    "bulk_wait": _bulk_wait,
    "store_async": _store_async,
}

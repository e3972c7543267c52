"""Do what the CUDA runtime does for a kernel: print, stop at failed assertions, give memory, count time."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.machine.bulk_services import BULK_SERVICES
from shflbench.emulator.machine.collective import constant
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.paged_memory import PagedMemory
from shflbench.emulator.machine.printing import format_text
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet, scatter
from shflbench.emulator.opcodes.addresses import GLOBAL_BASE, MODULE_BASE, WINDOWS, owner_bytes, window_of
from shflbench.emulator.opcodes.forms import Service, Values

_LONGEST_STRING = 4096
_MOST_PRINTED = 1 << 14  # calls of printf that are kept; a GPU keeps 1 MiB of text
_HEAP_ALIGN = 16  # of what `malloc` returns (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation")
_CYCLES = 32  # that the clock counts between two readings


def serve(state: State, op: Op, members: ThreadSet) -> None:
    """Execute a service for the threads of `members` whose guard holds; KernelFault if it stops the kernel."""
    form: Service = op.form  # type: ignore[assignment]
    threads = members.threads
    if op.guard is not None:
        threads = threads[state.gather(op.guard, members).reshape(-1)]
    if not threads.size:
        return
    chosen = scatter(threads)
    operands = [
        state.gather(source, chosen)
        if isinstance(source, Slot)
        else np.broadcast_to(constant(source, type_), threads.shape)
        for source, type_ in zip(op.sources, form.operands, strict=True)
    ]
    results = _SERVICES[form.name](state, op, threads, operands)
    for slot, type_, result in zip(op.results, form.results, results, strict=True):
        if slot is not None:
            state.put(slot, chosen, np.asarray(result).astype(type_))
    state.wrote(op.results)


def _text(state: State, thread: int, address: int) -> str:
    """Return the string at a generic address, as one thread reads it."""
    memory, start = _memory(state, thread, address)
    if memory is None:
        return "?"
    part = memory[start : start + _LONGEST_STRING].tobytes()
    return part.split(b"\0", 1)[0].decode("utf-8", "replace")


def _memory(state: State, thread: int, address: int) -> tuple[Values | None, int]:
    """Return the bytes of the space that a generic address lies in, and where in it; None outside of all."""
    window = int(window_of(np.array([address], np.uint64))[0])
    for name, number in (("local", thread), ("shared", int(state.shape.block_of(np.array(thread))))):
        if window == WINDOWS[name]:
            space = state.spaces[name]
            start = address - window - (int(owner_bytes(np.array(number))) if name == "local" else 0)
            if not 0 <= start < space.size:
                return None, 0
            return (space.bytes[number * space.stride : (number + 1) * space.stride], start)
    name, base = ("global", GLOBAL_BASE) if address >= GLOBAL_BASE else ("module", MODULE_BASE)
    start = address - base
    inside = 0 <= start < state.spaces[name].bytes.size and not isinstance(state.spaces[name], PagedMemory)
    return (state.spaces[name].bytes if inside else None), start


def _vprintf(state: State, _op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    for thread, text, values in zip(threads.tolist(), *(item.tolist() for item in operands), strict=True):
        memory, start = _memory(state, thread, values) if values else (None, 0)
        if len(state.printed) < _MOST_PRINTED:
            arguments = b"" if memory is None else memory[start:].tobytes()[:_LONGEST_STRING]
            state.printed.append(format_text(_text(state, thread, text), arguments, partial(_text, state, thread)))
    return (np.zeros(threads.shape, np.uint32),)


def _assertfail(state: State, op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    thread = int(threads[0])
    message, _, _, function, _ = (item.tolist()[0] for item in operands)
    detail = f"assertion `{_text(state, thread, message)}` failed in {_text(state, thread, function)}"
    raise KernelFault(
        f"{state.shape.describe(thread)}: {detail} ({op.instruction.where})",
        "The condition is false for the inputs of this run.",
        kind=FaultKind.ASSERT_FAILED,
        op=op,
        threads=(state.shape.in_block(thread),),
        detail=detail,
    )


def _malloc(state: State, _op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    """Give memory behind the buffers; a null pointer where the heap is used up, as a GPU does."""
    space = state.spaces["global"]
    addresses = []
    for size in operands[0].tolist():
        start = state.heap[-1][1] if state.heap else space.size - state.program.heap_bytes
        start = -(-start // _HEAP_ALIGN) * _HEAP_ALIGN
        if start + size > space.size:
            addresses.append(0)
            continue
        state.heap.append((start, start + size))
        space.allocations.append((start, start + size))
        space.names = [*space.names, "memory of malloc"]
        addresses.append(GLOBAL_BASE + start)
    return (np.array(addresses, np.uint64).reshape(threads.shape),)


def _free(state: State, op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    space = state.spaces["global"]
    for thread, address in zip(threads.tolist(), operands[0].tolist(), strict=True):
        if not address:
            continue
        place = next((item for item in state.heap if item[0] == address - GLOBAL_BASE), None)
        if place is None or place not in space.allocations:
            raise KernelFault(
                f"{state.shape.describe(thread)} frees {address:#x}, "
                f"which malloc did not give ({op.instruction.where})",
                "Free each allocation once, by the pointer that malloc returned.",
                kind=FaultKind.OUT_OF_BOUNDS,
                op=op,
                threads=(state.shape.in_block(thread),),
                detail="a pointer that malloc did not give",
            )
        index = space.allocations.index(place)
        space.allocations = [item for number, item in enumerate(space.allocations) if number != index]
        space.names = [item for number, item in enumerate(space.names) if number != index]
        state.forget_addresses()
    return ()


def _clock(state: State, _op: Op, threads: Values, _operands: Sequence[Values]) -> Sequence[Values]:
    state.ticks += _CYCLES
    return (np.full(threads.shape, state.ticks, np.uint64),)


def _stack(state: State, op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    """Stop the kernel where the frame of a function does not fit its stack."""
    deepest = int(np.argmax(operands[0]))
    if int(operands[0][deepest]) + int(operands[1][deepest]) > len(state.program.stack):
        thread = int(threads[deepest])
        raise KernelFault(
            f"{state.shape.describe(thread)} calls functions deeper than its stack of "
            f"{len(state.program.stack)} bytes allows ({op.instruction.where})",
            "Look for a recursion that does not end, or write it as a loop.",
            kind=FaultKind.STACK,
            op=op,
            threads=(state.shape.in_block(thread),),
            detail=f"a stack of {len(state.program.stack)} bytes",
        )
    return ()


def _no_function(state: State, op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    thread, address = int(threads[0]), int(operands[0][0])
    raise KernelFault(
        f"{state.shape.describe(thread)} calls address {address:#x}, where no function of this type lies "
        f"({op.instruction.where})",
        "Initialize the function pointer.",
        kind=FaultKind.OUT_OF_BOUNDS,
        op=op,
        threads=(state.shape.in_block(thread),),
        detail=f"no function of this type lies at address {address:#x}",
    )


def _copy_commit(state: State, _op: Op, threads: Values, _operands: Sequence[Values]) -> Sequence[Values]:
    state.copies.commit(threads)
    return ()


def _copy_wait(state: State, _op: Op, threads: Values, operands: Sequence[Values]) -> Sequence[Values]:
    state.copies.wait(threads, operands[0] if operands else None, state.observers)
    return ()


def _copy_deliver(state: State, _op: Op, threads: Values, _operands: Sequence[Values]) -> Sequence[Values]:
    state.copies.deliver(threads, state.observers)
    return ()


def _launch_dependents(state: State, op: Op, threads: Values, _operands: Sequence[Values]) -> Sequence[Values]:
    for observer in state.observers:
        observer.launch_dependents(op, threads)
    return ()


def _wait_for_grids(state: State, op: Op, threads: Values, _operands: Sequence[Values]) -> Sequence[Values]:
    for observer in state.observers:
        observer.wait_for_grids(op, threads)
    return ()


_SERVICES: Mapping[str, Callable[[State, Op, Values, Sequence[Values]], Sequence[Values]]] = {
    "vprintf": _vprintf,
    "__assertfail": _assertfail,
    "malloc": _malloc,
    "free": _free,
    "clock": _clock,
    "copy_commit": _copy_commit,
    "copy_wait": _copy_wait,
    "copy_wait_all": _copy_wait,
    "copy_deliver": _copy_deliver,
    **BULK_SERVICES,
    "stack": _stack,
    "no_function": _no_function,
    "launch_dependents": _launch_dependents,
    "wait_for_grids": _wait_for_grids,
}

"""Carry out loads, stores and atomics of a cohort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.atomics import exchange
from shflbench.backends.emulator.cohort import scattered
from shflbench.backends.emulator.findings import Kind
from shflbench.backends.emulator.layout import MODULE_BASE
from shflbench.backends.emulator.memory import GLOBAL_BASE, WINDOWS, Fault, Space, space_of
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.emulator.cohort import Cohort
    from shflbench.backends.emulator.forms import Access, Values
    from shflbench.backends.emulator.program import Op
    from shflbench.backends.emulator.state import State


@dataclass(frozen=True, slots=True)
class Transfer:
    """The arrays of one access, of the cohort's shape: addresses, what is stored, where to put what is loaded."""

    base: Values | None  # None: the address is a constant
    values: Sequence[Values]
    out: Sequence[Values]


def access(state: State, op: Op, cohort: Cohort, transfer: Transfer) -> None:
    """Carry out `op` for the threads of `cohort`; EmulatorError if a thread may not."""
    try:
        space, index = _locate(state, op, cohort, transfer.base)
    except Fault as fault:
        raise _error(state, op, int(cohort.threads[fault.position]), fault.why) from fault
    form: Access = op.form  # type: ignore[assignment]
    if space is None:
        _split(state, op, cohort, transfer)
        return
    data = space.view(form.type)
    if state.tracker is not None and space.name == "shared":
        state.tracker.access(op, cohort.threads, index.reshape(-1), transfer.values)
    if space.written is not None:
        _note(state, space, op, cohort, index)
    match form.kind:
        case "ld":
            for element, target in enumerate(transfer.out):
                data.take(index + element if element else index, None, target, "wrap")
        case "st":
            for element, value in enumerate(transfer.values):
                data[index + element if element else index] = value
        case _:
            exchange(form, data, index.reshape(-1), transfer.values, transfer.out)


def _locate(state: State, op: Op, cohort: Cohort, base: Values | None) -> tuple[Space | None, Values]:
    """Return the space and the indices of its elements; they are kept while the address register does not change."""
    place, form = op.place, op.form
    key = (place, form.type, form.vector)  # type: ignore[union-attr]
    number = place.base.number if place is not None and place.base is not None else -1
    version = state.versions[number] if number >= 0 else 0
    kept = cohort.kept.get(key)
    if kept is not None and kept[0] == version:
        located: tuple[Space | None, Values] = kept[1]
        return located
    located = _find(state, op, cohort, base)
    if cohort.view is not None:
        cohort.kept[key] = (version, located)
    return located


def _find(state: State, op: Op, cohort: Cohort, base: Values | None) -> tuple[Space | None, Values]:
    place = op.place
    form: Access = op.form  # type: ignore[assignment]
    if place is None:  # cannot be: lowering gives every access a place
        raise AssertionError(op)
    shape = base.shape if base is not None else cohort.threads.shape
    addresses = np.full(shape, place.offset, np.int64) if base is None else base.astype(np.int64) + place.offset
    if base is None and cohort.view is not None:
        addresses = addresses.reshape(state.block_of[cohort.view].shape)
    name = place.space
    if not name:
        windows = space_of(addresses.view(np.uint64))
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
    units = None
    if name in {"shared", "local"}:
        all_units = state.block_of if name == "shared" else state.thread_numbers
        units = all_units[cohort.view] if cohort.view is not None else all_units.reshape(-1)[cohort.threads]
    element = np.dtype(form.type).itemsize
    return space, space.locate(addresses, units, element * form.vector, element)


def _split(state: State, op: Op, cohort: Cohort, transfer: Transfer) -> None:
    """Carry out an access whose threads reach into different memory spaces, one thread at a time."""
    addresses = None if transfer.base is None else transfer.base.reshape(-1)
    values = [np.broadcast_to(value.reshape(-1), cohort.threads.shape) for value in transfer.values]
    results = [np.empty(cohort.count, target.dtype) for target in transfer.out]
    for position in range(cohort.count):
        one = slice(position, position + 1)
        part = Transfer(
            None if addresses is None else addresses[one],
            [value[one] for value in values],
            [result[one] for result in results],
        )
        access(state, op, scattered(cohort.threads[one]), part)
    for target, result in zip(transfer.out, results, strict=True):
        np.copyto(target, result.reshape(target.shape))


def _note(state: State, space: Space, op: Op, cohort: Cohort, index: Values) -> None:
    """Keep account of which bytes were written, and find reads of others."""
    form: Access = op.form  # type: ignore[assignment]
    written = space.written
    if written is None:
        return
    element = np.dtype(form.type).itemsize
    first = index.reshape(-1) * element
    read_anything = np.ones(first.shape, np.bool_)
    for byte in range(element * form.vector):
        if form.kind == "st":
            written[first + byte] = True
        else:
            read_anything &= written[first + byte]
    if form.kind != "st" and not read_anything.all():
        threads = cohort.threads[~read_anything]
        state.findings.add(Kind.UNINITIALISED, op.instruction, state.who(threads[:1]), int(threads.size))


def _error(state: State, op: Op, thread: int, why: str) -> EmulatorError:
    block, index = state.shape.in_block(thread)
    verb = {"ld": "reads", "st": "writes"}.get(op.form.kind, "updates")  # type: ignore[union-attr]
    message = f"thread {index} of block {block} {verb} outside of memory: {why} ({op.instruction.where})"
    if "multiple" in why:
        message = f"thread {index} of block {block} {verb} a misaligned address: {why} ({op.instruction.where})"
    return EmulatorError(message, "Mend the index computation in that line.")

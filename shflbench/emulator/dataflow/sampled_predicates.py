"""Predicates of a program as functions of one loaded value: computed for many values at once, not chosen.

What else a predicate depends on is zero, but for the parameters; a register that several instructions write has the
value of the first one, as before a loop. A vote or a shuffle gives what each lane gives it: all lanes load one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Collective, Pure, Values

if TYPE_CHECKING:
    from collections.abc import Collection

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, Source

DEEPEST = 100  # instructions between a loaded value and a predicate; a condition has a few


class SampledPredicates:
    """The registers of a program for each of several values that loads by some pointers return."""

    def __init__(self, slicer: Slicer, pointers: Collection[int], loaded: Values, parameters: bytes) -> None:
        """Let loads by these pointers return `loaded`, in the type of the elements of memory."""
        self._slicer, self._pointers, self._loaded, self._parameters = slicer, set(pointers), loaded, parameters
        self._known: dict[int, Values] = {}

    def of(self, slot: Slot) -> Values:
        """Return a predicate for each loaded value."""
        with np.errstate(all="ignore"):
            value = self._read(slot, 0).astype(np.bool_)
        return ~value if slot.negated else value

    def _read(self, source: Source, depth: int, type_: str = "") -> Values:
        if not isinstance(source, Slot):
            bits = np.array([source & ((1 << 64) - 1)], np.uint64)
            return np.resize(_as_type(bits, type_), self._loaded.size)
        return _as_type(self._register(source.number, depth), source.type)

    def _register(self, number: int, depth: int) -> Values:
        known = self._known.get(number)
        if known is not None:
            return known
        value = self._known[number] = np.zeros(self._loaded.size, self._slicer.program.registers[number])
        writers = self._slicer.writers(number)
        if writers and depth < DEEPEST:
            value = self._known[number] = self._result(writers[0], number, depth + 1)
        return value

    def _result(self, op: Op, number: int, depth: int) -> Values:
        """Return what an op writes to a register: zeros if it is none of those that are followed."""
        storage = self._slicer.program.registers[number]
        place = next(at for at, slot in enumerate(op.results) if slot is not None and slot.number == number)
        value = np.zeros(self._loaded.size, storage)
        match op.form:
            case Pure(results=types, operands=operands, apply=apply):
                results = [np.zeros(self._loaded.size, type_) for type_ in types]
                sources = zip(op.sources, operands, strict=True)
                apply(*(self._read(source, depth, type_) for source, type_ in sources), *results)
                value = results[place]
            case Collective() if op.sources and isinstance(op.sources[0], Slot):
                value = self._read(op.sources[0], depth)
            case Access(kind="ld", type=type_, results=results_):
                value = self._load(op, type_, depth).astype(results_[place] if place < len(results_) else type_)
        return _as_type(value, storage)

    def _load(self, op: Op, type_: str, depth: int) -> Values:
        if (start := parameter_byte(op)) is not None:
            size = np.dtype(type_).itemsize
            return np.resize(
                np.frombuffer(self._parameters[start : start + size].ljust(size, b"\0"), type_), self._loaded.size
            )
        if self._slicer.pointers(op) & self._pointers:
            return _as_type(self._loaded, type_)
        space = op.place.space if op.place is not None else ""
        for store in self._slicer.stores(space) if space in {"shared", "local"} else ():
            if store.sources and isinstance(store.sources[0], Slot):
                return _as_type(self._read(store.sources[0], depth), type_)
        return np.zeros(self._loaded.size, type_)


def _as_type(values: Values, type_: str) -> Values:
    """Return values as another type of the same bits; the low ones, or with zeros above them, if the sizes differ."""
    if not type_ or values.dtype == np.dtype(type_):
        return values
    size, wanted = values.dtype.itemsize, np.dtype(type_)
    if values.dtype.kind == "b" or wanted.kind == "b":
        return values.astype(wanted)
    bits = np.ascontiguousarray(values).view(f"u{size}").astype(f"u{wanted.itemsize}")
    return bits.view(wanted)

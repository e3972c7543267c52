"""Put constants where they are used: a register that is written once, by `mov` of a constant, needs no array."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.backends.emulator.forms import Nothing, Pure
from shflbench.backends.emulator.program import Op, Slot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.backends.emulator.program import Source


def propagate(ops: list[Op]) -> list[Op]:
    """Return the ops with such registers replaced, and their `mov` gone.

    Reading a register before its only write is undefined, so that the constant is as good as anything.
    """
    writes = Counter(slot.number for op in ops for slot in op.results if slot is not None)
    known: dict[int, int] = {}
    defining: set[int] = set()
    for number, op in enumerate(ops):
        constant = _constant(op)
        if constant is not None and writes[constant[0]] == 1:
            known[constant[0]] = constant[1]
            defining.add(number)
    return [
        replace(op, form=Nothing(), results=(), sources=()) if number in defining else _substitute(op, known)
        for number, op in enumerate(ops)
    ]


def _constant(op: Op) -> tuple[int, int] | None:
    """Return (register, bits) of an unconditional `mov` of a constant."""
    if op.instruction.opcode != "mov" or not isinstance(op.form, Pure) or op.guard is not None or len(op.sources) != 1:
        return None
    source, target = op.sources[0], op.results[0] if len(op.results) == 1 else None
    return (target.number, source) if target is not None and isinstance(source, int) else None


def _substitute(op: Op, known: Mapping[int, int]) -> Op:
    place = op.place
    if place is not None and place.base is not None and place.base.number in known:
        place = replace(place, base=None, offset=place.offset + known[place.base.number])
    types = op.form.operands
    sources = tuple(_value(source, type_, known) for source, type_ in zip(op.sources, types, strict=True))
    return replace(op, sources=sources, place=place)


def _value(source: Source, type_: str, known: Mapping[int, int]) -> Source:
    if not isinstance(source, Slot) or source.number not in known:
        return source
    if type_ == "?":
        return int(bool(known[source.number]) != source.negated)
    return known[source.number] % (1 << (8 * np.dtype(type_).itemsize))

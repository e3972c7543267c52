"""Counts in memory by which the last block of a grid learns that it is the last: `ticket == gridDim.x - 1`.

What such a block does for the results of all others runs only after all others, and takes as many threads as there are
others. A count that begins as they leave it lets few blocks show that, in a grid of any size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shflbench.emulator.dataflow.index_values import PARAMETER, IndexValues, normalize
from shflbench.emulator.dataflow.nests import exits_by_loop
from shflbench.emulator.dataflow.polynomials import find_compared
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

GRID = "%nctaid."


@dataclass(frozen=True, slots=True)
class Ticket:
    """A count to which each block adds one, and which it compares with a number of blocks."""

    pointers: frozenset[int]  # first bytes of the pointers to the count
    address: int | None  # of a variable of the device
    type: str  # NumPy's, of the count
    before_last: tuple[tuple[int, tuple[str, ...]], ...]  # its value before the last block adds: factors and symbols

    def value(self, numbers: Mapping[str, int]) -> int | None:
        """Return the value before the last block adds to it; None if a number is unknown."""
        if any(symbol not in numbers for _, term in self.before_last for symbol in term):
            return None
        value = sum(factor * prod(numbers[symbol] for symbol in term) for factor, term in self.before_last)
        return value % (1 << 8 * np.dtype(self.type).itemsize)


def tickets(slicer: Slicer) -> tuple[Ticket, ...]:
    """Return the counts of a kernel whose blocks do not wait for one another in loops."""
    counts = tuple(_tickets(slicer))
    return () if counts and _polls(slicer) else counts


def _tickets(slicer: Slicer) -> Iterator[Ticket]:
    values = slicer.kept(IndexValues)
    atomics = {
        str(slot.number): op for op in slicer.ops if _adds_one(op) for slot in op.results if slot is not None
    }  # fmt: skip
    for op in slicer.ops if atomics else ():
        compared = normalize(find_compared(op, values.known) or Counter())
        counted = [term for term in compared if len(term) == 1 and term[0] in atomics]
        if len(counted) == 1 and abs(compared[counted[0]]) == 1 and _is_of_blocks(compared, counted[0]):
            atomic = atomics[counted[0][0]]
            sign = -compared.pop(counted[0])
            before = tuple((sign * factor, term) for term, factor in sorted(compared.items()))
            place = atomic.place
            address = place.offset if place is not None and place.base is None else None
            yield Ticket(frozenset(slicer.pointers(atomic)), address, atomic.form.type, before)  # type: ignore[union-attr]


def _adds_one(op: Op) -> bool:
    """Whether an op counts in global memory, up to a number or without end."""
    form, words = op.form, op.instruction.modifiers
    if not (isinstance(form, Access) and form.kind == "atom" and op.place is not None and op.place.space != "shared"):
        return False
    return "inc" in words or ("add" in words and op.sources[-1:] == (1,))


def _is_of_blocks(compared: Polynomial, count: tuple[str, ...]) -> bool:
    """Whether a count is compared with what the grid or parameters decide."""
    symbols = [symbol for term in compared if term != count for symbol in term]
    return bool(symbols) and all(symbol.startswith((GRID, PARAMETER)) for symbol in symbols)


def _polls(slicer: Slicer) -> bool:
    """Whether contents of memory may decide how often a loop iterates, as where a block waits for another one."""
    branches = [op for op in slicer.ops if op.guard is not None and slicer.in_loop(op)]
    for branch in branches:
        for blocks, exits in exits_by_loop(branch, slicer):
            depends = slicer.of(exits, conditions_in=blocks)
            if depends.contents or depends.unknown:
                return True
    return False

"""Accesses to buffers as what they are in the source: an index, times the size of an element."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.compared_constants import structural_contents
from shflbench.emulator.dataflow.index_values import PARAMETER, normalize, variable
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.emulator.dataflow.index_values import IndexValues
    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

GLOBAL = {"", "global", "const"}
LARGEST_RECORD = 4  # elements: an index, a begin, a length, and one more


@dataclass(frozen=True, slots=True)
class ArrayAccess:
    """An access to global memory through a pointer among the parameters."""

    op: Op
    pointer: int  # its first byte
    element: int  # bytes
    offset: Polynomial  # bytes from the start of the buffer, without constants
    constant: int  # bytes


def array_accesses(slicer: Slicer, values: IndexValues) -> Iterator[ArrayAccess]:
    """Yield the accesses to buffers, one per pointer that an address may be based on."""
    for op in slicer.ops:
        if isinstance(op.form, Access) and op.place is not None and op.place.space in GLOBAL:
            for start in slicer.pointers(op):
                offset = values.address(op.place)
                offset[f"{PARAMETER}{start}",] -= 1
                offset = normalize(offset)
                yield ArrayAccess(op, start, np.dtype(op.form.type).itemsize, variable(offset), offset[()])


def range_ends(accesses: Sequence[ArrayAccess], slicer: Slicer) -> set[int]:
    """Return the pointers to buffers with one element more than the guard says: `row[i]` to `row[i + 1]` is a range.

    The kernel only reads them, at an index and the next one, and what it reads are addresses or numbers of iterations.
    """
    by_pointer: dict[int, list[ArrayAccess]] = {}
    for item in accesses:
        by_pointer.setdefault(item.pointer, []).append(item)
    pairs = {
        start
        for start, items in by_pointer.items()
        if {item.constant for item in items} == {0, items[0].element} and not any(_stores(item.op) for item in items)
    }
    return pairs & structural_contents(slicer) if pairs else pairs


def records(accesses: Sequence[ArrayAccess]) -> dict[int, int]:
    """Return the pointers to records of several elements, `ray[3 * i + 1]`, with the elements of a record."""
    by_pointer: dict[int, list[ArrayAccess]] = {}
    for item in accesses:
        by_pointer.setdefault(item.pointer, []).append(item)
    sizes = {}
    for start, items in by_pointer.items():
        size, element = gcd(*(factor for item in items for factor in item.offset.values())), items[0].element
        places = {item.constant % size for item in items} if size else set()
        if element and len(places) > 1 and size % element == 0 and size // element <= LARGEST_RECORD:
            sizes[start] = size // element
    return sizes


def _stores(op: Op) -> bool:
    return isinstance(op.form, Access) and op.form.kind != "ld"


def in_elements(item: ArrayAccess, declared: int = 0) -> Iterator[tuple[int, Polynomial]]:
    """Yield sizes of an element, in bytes, with the index of the element that the access is to.

    One of them is the `declared` size of what the pointer points to: `x[8 * i]` may be read as a `float4`.
    """
    for unit in sorted({declared, item.element, gcd(*item.offset.values())}):
        if unit and not any(factor % unit for factor in item.offset.values()):
            yield unit, Counter({term: factor // unit for term, factor in item.offset.items()})

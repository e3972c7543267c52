"""The sizes of buffers that the guards of a kernel suggest: `if (i < n) out[i] = in[i];` has `n` elements in both.

A guard with which accesses to one buffer run limits the same index in all others, so that an access without it, or one
with `<=`, goes beyond the end. `in[y * width + x]` with guards for `x` and `y` has `width * height` elements.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.array_accesses import array_accesses, in_elements, range_ends
from shflbench.checker.inputs.grid_limits import grid_limits
from shflbench.checker.inputs.scalars import is_size
from shflbench.checker.inputs.size_bound import SizeBound
from shflbench.emulator.dataflow.guards import Guard, guards
from shflbench.emulator.dataflow.index_values import LOOP, PARAMETER, IndexValues, parameters_of, variable
from shflbench.emulator.dataflow.polynomials import difference, sorted_term, sum_of
from shflbench.emulator.dataflow.slices import parameter_byte

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from shflbench.checker.inputs.array_accesses import ArrayAccess
    from shflbench.checker.inputs.size_bound import Terms
    from shflbench.cuda_sources.kernel_file import KernelParameter, SourceKernel
    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer

MOST_DIMENSIONS = 4  # of an array
MOST_SIZES = 16  # that guards suggest for one buffer


def size_bounds(kernel: SourceKernel, slicer: Slicer) -> dict[str, tuple[SizeBound, ...]]:
    """Return the sizes that guards suggest for the buffers of a kernel, by name; several where several guards do."""
    values = slicer.kept(IndexValues)
    accesses = list(array_accesses(slicer, values))
    declared = {part.offset: getattr(part.item, "element_bytes", None) or 0 for part in kernel.parts}
    every = [item for item in slicer.kept(guards) if _limits_index(item)]
    limits = [item for item in every if _is_of_index(item, accesses, declared)]
    unread = frozenset(item.offset for item in unread_sizes(kernel, slicer))
    limits += _unread_limits(unread, limits)
    names = kernel.pointers
    of_grid = list(grid_limits(kernel, limits))
    excluded = {(start, _key(item)) for item in limits for start in _pointers(slicer, item.others)}
    ends = range_ends(accesses, slicer) if limits else ()
    bounds: dict[str, dict[SizeBound, None]] = {}
    for item in accesses if limits or of_grid else ():
        if item.pointer in names:
            sizes = bounds.setdefault(names[item.pointer], {})
            fitting = [limit for limit in limits if (item.pointer, _key(limit)) not in excluded]
            kind = _AccessKind(declared.get(item.pointer, 0), slicer.in_loop(item.op), item.pointer in ends)
            if fitting and len(sizes) < MOST_SIZES:
                sizes |= {_marked(bound, unread): None for bound in _bounds(item, fitting, kind)}
            if of_grid and len(sizes) < MOST_SIZES:
                sizes |= {replace(bound, of_grid=True): None for bound in _bounds(item, [*fitting, *of_grid], kind)}
    return {name: tuple(sizes) for name, sizes in bounds.items() if sizes}


def starts_of_ranges(slicer: Slicer) -> frozenset[int]:
    """Return the first bytes of the parameters that ranges of indices begin with: `first` in `if (t + first < last)`.

    Their distance from the ends is what has a thread each.
    """
    ranges = [item for item in slicer.kept(guards) if _limits_index(item)]
    added = [term for item in ranges for term, factor in item.index.items() if factor > 0]
    taken = [term for item in ranges for term, factor in item.limit.items() if factor < 0]
    return frozenset(bytes_[0] for term in (*added, *taken) if len(bytes_ := parameters_of(term) or ()) == 1)


def unread_sizes(kernel: SourceKernel, slicer: Slicer) -> list[KernelParameter]:
    """Return the parameters whose names say that they are sizes, and that the compiled kernel never reads."""
    read = {parameter_byte(op) for op in slicer.ops}
    unread = [item for item in kernel.parameters if item.offset not in read and not item.pointer]
    return [item for item in unread if is_size(item.name) and (item.element or "")[:1] in {"i", "u"}]


def _unread_limits(unread: Collection[int], limits: Sequence[Guard]) -> Iterator[Guard]:
    """Yield the guards that a kernel lacks: nothing limits the number of the thread, and a size is never read."""
    limited = [variable(item.index) for item in limits]
    for axis in "xyz":
        index = Counter({sorted_term(f"%ctaid.{axis}", f"%ntid.{axis}"): 1, (f"%tid.{axis}",): 1})
        if index not in limited:
            for start in unread:
                yield Guard(index, Counter({(f"{PARAMETER}{start}",): 1}), frozenset(), frozenset())


def _limits_index(guard: Guard) -> bool:
    """Whether a guard compares an index with a number that is computed from parameters."""
    limit, index = variable(guard.limit), variable(guard.index)
    return bool(limit) and _is_number(limit) and not _is_number(index)


def _is_of_index(guard: Guard, accesses: Sequence[ArrayAccess], declared: Mapping[int, int]) -> bool:
    """Whether an access behind the guard has its index.

    The guard with which a loop begins does not limit the number of the thread, which can be the index of a result:
    `for (i = t; i < n; i += stride) sum += in[i]; out[t] = sum;`.
    """
    index = variable(guard.index)
    inside = [item for item in accesses if id(item.op) in guard.accesses]
    if not guard.accesses:
        return True
    indexes = (elements for item in inside for _, elements in in_elements(item, declared.get(item.pointer, 0)))
    return any(_contains(elements, index, MOST_DIMENSIONS) for elements in indexes)


def _contains(index: Polynomial, part: Polynomial, dimensions: int) -> bool:
    rest = difference(index, part)
    if len(rest) == len(index) - len(part) and not any(_is_loops(term) for term in rest):
        return True
    symbols = {symbol for term in index for symbol in term if symbol.startswith(PARAMETER)}
    return dimensions > 0 and any(_contains(_quotient(index, symbol), part, dimensions - 1) for symbol in symbols)


def _is_loops(term: tuple[str, ...]) -> bool:
    """Whether a term grows with the iterations of a loop, and not by whole rows of an array."""
    return any(symbol.startswith(LOOP) for symbol in term) and not any(symbol.startswith(PARAMETER) for symbol in term)


def _key(guard: Guard) -> frozenset[tuple[tuple[str, ...], int]]:
    return frozenset(guard.limit.items())


def _pointers(slicer: Slicer, accesses: Collection[int]) -> Iterator[int]:
    for op in slicer.ops:
        if id(op) in accesses:
            yield from slicer.pointers(op)


@dataclass(frozen=True, slots=True)
class _AccessKind:
    """What decides on the size of a buffer besides the index of an access."""

    declared: int  # bytes of what the pointer points to
    in_loop: bool
    is_end: bool  # of ranges: the buffer has one element more


def _bounds(item: ArrayAccess, limits: Sequence[Guard], kind: _AccessKind) -> Iterator[SizeBound]:
    """Yield the sizes for an access."""
    for unit, index in in_elements(item, kind.declared):
        for size, limit in _sizes(index, limits, MOST_DIMENSIONS):
            elements = sum_of(size, Counter({(): 1})) if kind.is_end else size
            yield SizeBound(_terms(elements), _terms(limit), unit, kind.in_loop)


def _marked(bound: SizeBound, unread: Collection[int]) -> SizeBound:
    return replace(bound, unread=any(byte in unread for _, bytes_ in bound.limit for byte in bytes_))


def _terms(value: Polynomial) -> Terms:
    return tuple((factor, parameters_of(term) or ()) for term, factor in sorted(value.items()))


def _sizes(index: Polynomial, limits: Sequence[Guard], dimensions: int) -> Iterator[tuple[Polynomial, Polynomial]]:
    """Yield how many elements an array has that is accessed at `index`, and the limit of the threads that access it.

    Constants do not count: neighbors of an element are in the same array, and `i < n - 1` protects them.
    """
    for guard in limits:
        limited, limit = variable(guard.index), _without_negative(guard.limit)
        rest = difference(index, limited)
        if all(factor > 0 for factor in rest.values()) and (not rest or _is_number(rest)):
            yield sum_of(limit, rest), limit
        elif _is_in_tile(limited, rest) or difference(variable(guard.limit), limited) == index:  # from the end
            yield limit, limit
    if not dimensions:
        return
    for symbol in sorted({symbol for term in index for symbol in term if symbol.startswith(PARAMETER)}):
        rows = _quotient(index, symbol)
        if not _is_number(rows):  # a row has `symbol` elements, whatever the column is
            for size, limit in _sizes(variable(rows), limits, dimensions - 1):
                yield _times(size, symbol), _times(limit, symbol)


def _is_in_tile(limited: Polynomial, rest: Polynomial) -> bool:
    """Whether an index is that of a guard but for the place in the tile of a block, which the guard counts by a loop.

    `if (blockIdx.y * 64 + r < m)` limits rows, and `a[(blockIdx.y * 64 + threadIdx.x) * k + i]` is in a row, too.
    """
    of_block = any(symbol.startswith("%ctaid") for term in limited for symbol in term)
    return of_block and all(factor > 0 and term[0].startswith("%tid") for term, factor in rest.items() if term)


def _is_number(value: Polynomial) -> bool:
    return all(not term or parameters_of(term) is not None for term in value)


def _without_negative(value: Polynomial) -> Polynomial:
    return Counter({term: factor for term, factor in value.items() if term or factor > 0})


def _times(value: Polynomial, symbol: str) -> Polynomial:
    return Counter({sorted_term(*term, symbol): factor for term, factor in value.items()})


def _quotient(value: Polynomial, symbol: str) -> Polynomial:
    """Return the terms that contain `symbol`, divided by it."""
    parts: Polynomial = Counter()
    for term, factor in value.items():
        if symbol in term:
            place = term.index(symbol)
            parts[(*term[:place], *term[place + 1 :])] += factor
    return parts

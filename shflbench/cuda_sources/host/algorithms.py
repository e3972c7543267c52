"""The algorithms of the C++ library and of Thrust that fill, copy, sort and exchange what kernels get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shflbench.cuda_sources.host.machine import MOST_ITERATIONS
from shflbench.cuda_sources.host.records import pair_of
from shflbench.cuda_sources.host.smart_pointers import exchange
from shflbench.cuda_sources.host.unknown_calls import unknown_call
from shflbench.cuda_sources.host.values import UNKNOWN, Cell, CellAddress, HostCallable, Pointer, Structure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.cuda_sources.host.interface import HostRun, Reference
    from shflbench.cuda_sources.host.machine import HostFrame

Call = Any  # a function of the interpreter, the frame and the places of the arguments


def _values(given: Sequence[Reference]) -> list[Any]:
    return [place.load() for place in given]


def _range(step: int) -> Call:
    """Return `std::fill` (a step of 0) or `std::iota` (1): each element is larger than the one before by the step."""

    def call(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
        values: list[Any] = [*_values(given), UNKNOWN, UNKNOWN, UNKNOWN]
        first, last, value = values[:3]
        if not isinstance(first, Pointer):
            return unknown_call(run, "fill", given)
        size, start = first.target.size, first.offset
        end = last.offset if isinstance(last, Pointer) and last.memory is first.memory else None
        known = isinstance(value, int | float) and first.target.format and size
        if start is None or end is None or not known or not size or (end - start) // size > MOST_ITERATIONS:
            return unknown_call(run, "fill", given)
        for index, offset in enumerate(range(start, end, size)):
            first.memory.store(offset, first.target, first.target.convert(value + step * index))
        return UNKNOWN

    return call


def _edge(*, end: bool) -> Call:
    """Return `std::begin`, or `std::end`, of a vector or an array."""

    def call(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
        place = given[0] if given else Cell()
        value = place.load()
        if isinstance(value, Structure) and value.memory is not None:
            return Pointer(value.memory, value.memory.size if end else 0, value.element)
        if isinstance(value, Pointer) and place.type.is_array and value.offset is not None:
            return Pointer(value.memory, value.offset + (place.type.size or 0) * end, value.target)
        return UNKNOWN

    return call


def _generate(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `std::generate(first, last, function)`; of more elements than are kept, the first ones."""
    values: list[Any] = [*_values(given), UNKNOWN, UNKNOWN, UNKNOWN]
    first, last, function = values[:3]
    known = isinstance(first, Pointer) and isinstance(last, Pointer) and first.memory is last.memory
    if not known or first.offset is None or last.offset is None or not first.target.size:
        return unknown_call(run, "generate", given)
    places = range(first.offset, last.offset, first.target.size)
    if len(places) > MOST_ITERATIONS:
        first.memory.forget()
    for offset in places[:MOST_ITERATIONS]:
        run.state.step()
        value = function.call([], ()) if isinstance(function, HostCallable) and function.call is not None else UNKNOWN
        first.memory.store(offset, first.target, first.target.convert(value))
    if len(places) > MOST_ITERATIONS:
        first.memory.forget_rest()
    return UNKNOWN


def _sort(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `std::sort(first, last)` or `thrust::sort(policy, first, last)`."""
    values = _values(given)
    if len(values) > 2 and not isinstance(values[0], Pointer):  # noqa: PLR2004  (first and last)
        values = values[1:]
    first, last, *order = [*values, UNKNOWN, UNKNOWN][: max(len(values), 2)]
    known = isinstance(first, Pointer) and isinstance(last, Pointer) and first.memory is last.memory
    if order or not known or first.offset is None or last.offset is None:
        return unknown_call(run, "sort", given)
    first.memory.sort(first.offset, last.offset, first.target)
    return UNKNOWN


def _quicksort(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `qsort(base, count, size, order)` of numbers, whose order is taken as ascending."""
    values: list[Any] = [*_values(given), UNKNOWN, UNKNOWN, UNKNOWN]
    base, count, size = values[:3]
    if not isinstance(base, Pointer) or base.offset is None or not isinstance(count, int) or base.target.size != size:
        return unknown_call(run, "qsort", given)
    base.memory.sort(base.offset, base.offset + count * size, base.target)
    return UNKNOWN


def _copy(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `std::copy(first, last, target)`."""
    values = _without_policy(_values(given))
    parts: list[Any] = [*values, UNKNOWN, UNKNOWN, UNKNOWN]
    first, last, target = parts[:3]
    known = isinstance(first, Pointer) and isinstance(last, Pointer) and first.memory is last.memory
    if not known or first.offset is None or last.offset is None or len(values) != 3:  # noqa: PLR2004
        return unknown_call(run, "copy", given)
    return _copied(run, first, last.offset - first.offset, target, given)


def _copy_count(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `std::copy_n(first, count, target)`."""
    values = _without_policy(_values(given))
    parts: list[Any] = [*values, UNKNOWN, UNKNOWN, UNKNOWN]
    first, count, target = parts[:3]
    size = first.target.size if isinstance(first, Pointer) else None
    if not isinstance(first, Pointer) or size is None or not isinstance(count, int):
        return unknown_call(run, "copy_n", given)
    return _copied(run, first, count * size, target, given)


def _without_policy(values: list[Any]) -> list[Any]:
    """Return the arguments of an algorithm without `std::execution::par` or `thrust::device`."""
    return values[1:] if len(values) > 3 and not isinstance(values[0], Pointer) else values  # noqa: PLR2004


def _copied(run: HostRun, first: Pointer, count: int, target: object, given: Sequence[Reference]) -> object:
    if not isinstance(target, Pointer) or target.offset is None or target.target.format != first.target.format:
        return unknown_call(run, "copy", given)
    target.memory.copy(target.offset, first.memory, first.offset if first.offset is not None else -1, count)
    return Pointer(target.memory, target.offset + count, target.target)


def _swap(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    if len(given) == 2:  # noqa: PLR2004
        exchange(*given)
    return UNKNOWN


def _exchange(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `std::exchange(variable, value)`, which returns the old value."""
    if len(given) != 2:  # noqa: PLR2004
        return UNKNOWN
    before = given[0].load()
    given[0].store(given[1].load())
    return before


def _out_pointer(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `std::out_ptr(p)` and `std::addressof(x)`, through which a function sets the variable."""
    return CellAddress(given[0]) if given and isinstance(given[0], Cell) else UNKNOWN


def _pair(run: HostRun, frame: HostFrame, given: Sequence[Reference]) -> object:  # noqa: ARG001
    """Follow `std::make_pair(a, b)`."""
    return pair_of(_values(given))


ALGORITHMS: Mapping[str, Call] = {
    "fill": _range(0),
    "iota": _range(1),
    "generate": _generate,
    "copy": _copy,
    "copy_n": _copy_count,
    **dict.fromkeys(("begin", "cbegin"), _edge(end=False)),
    **dict.fromkeys(("end", "cend"), _edge(end=True)),
    **dict.fromkeys(("sort", "stable_sort"), _sort),
    "qsort": _quicksort,
    "swap": _swap,
    "exchange": _exchange,
    **dict.fromkeys(("out_ptr", "inout_ptr", "addressof"), _out_pointer),
    "make_pair": _pair,
}

"""Values of a launch that nobody specifies: other numbers, grids and contents, with which a barrier may be needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain, product, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.compared_constants import compared_constants, parameter_constants
from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.core.model import WARP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments, Span
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.elements import Element
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.dataflow.slices import Slice, Slicer

LARGER = (16, 4)  # times the elements of each buffer: a larger number is in many kernels a larger size, of both axes
MOST_VARIED_BYTES = 1 << 22  # of all larger buffers
FEW_BLOCKS = (1, 2, 3)
FEW_MARKED = (2, 3)  # of so many elements, one has a value that a condition compares
SMALL_NUMBERS = (1, 2, 3, 33, 5, 64, 7, 100, 0)


@dataclass(frozen=True, slots=True)
class OtherValues:
    """A launch with a value that the specified ones do not have."""

    text: str
    launch: PlannedLaunch
    arguments: Arguments
    number: str = ""  # the name of the one number that differs, if it is that


def other_values(item: LaunchEvidence, depends: Slice, slicer: Slicer) -> Iterator[OtherValues]:
    """Yield a specified launch with other values of what decides, of each kind in turn."""
    arguments = _with_larger_buffers(item.arguments)
    kinds = (
        _numbers(item.launch, arguments, depends, slicer),
        _grids(item.launch, arguments, depends),
        _contents(item.launch, arguments, depends, slicer),
    )
    return (one for one in chain.from_iterable(zip_longest(*kinds)) if one is not None)


def _with_larger_buffers(arguments: Arguments) -> Arguments:
    """Return arguments whose buffers are repeated, so that larger numbers stay inside."""
    factor = next((number for number in LARGER if arguments.total_bytes * number <= MOST_VARIED_BYTES), 1)
    buffers = (replace(item, contents=np.tile(item.contents, factor)) for item in arguments.buffers)
    return replace(arguments, buffers=tuple(buffers))


def _numbers(launch: PlannedLaunch, arguments: Arguments, depends: Slice, slicer: Slicer) -> Iterator[OtherValues]:
    """Yield launches with another integer: beside that of the launch, one block more, twice as much, and small ones.

    First of all beside the constants that the code compares it with.
    """
    constants = parameter_constants(slicer)
    marks: dict[Span, list[int]] = {}
    for start in sorted(depends.parameters):
        beside = [int(value) + more for value in constants.get(start, ()) for more in (1, 0, -1)]
        for span in arguments.spans([start]):
            if span.buffer is None:
                marks.setdefault(span, []).extend(beside)
    per_number = [_other_integers(span, beside, launch) for span, beside in marks.items()]
    for span, number in filter(None, chain.from_iterable(zip_longest(*per_number))):
        changed = _with_number(arguments, span, number)
        if changed is not None:
            yield OtherValues(f"{span.name} = {number}", launch, changed, span.name)


def _other_integers(span: Span, marks: list[int], launch: PlannedLaunch) -> list[tuple[Span, int]]:
    value = span.value
    if not isinstance(value, int):
        return []
    threads = launch.shape.threads_per_block
    near = (value + 1, value - 1, value + threads, 2 * value, value // 2, value + 2)
    every = (*near[:1], *marks, *near[1:], *SMALL_NUMBERS)
    numbers = dict.fromkeys(number for number in every if number >= min(value, 0) and number != value)
    return [(span, number) for number in numbers]


def _with_number(arguments: Arguments, span: Span, number: int) -> Arguments | None:
    """Return arguments with another number; None if it does not fit."""
    size = span.end - span.start
    if not -(1 << 8 * size - 1) <= number < 1 << 8 * size - 1:
        return None
    parameters = list(arguments.parameters)
    for place, value in enumerate(parameters):
        if span in value.spans:
            data = bytearray(value.data)
            data[span.start : span.end] = number.to_bytes(size, "little", signed=True)
            parameters[place] = replace(value, data=bytes(data))
    return replace(arguments, parameters=tuple(parameters))


def _grids(launch: PlannedLaunch, arguments: Arguments, depends: Slice) -> Iterator[OtherValues]:
    if not (depends.block or depends.grid) or launch.shape.cluster != NO_CLUSTER:
        return
    for blocks in FEW_BLOCKS:
        if launch.shape.blocks != blocks:
            shape = replace(launch.shape, grid=(blocks, 1, 1), sample=())
            text = f"{blocks} block{'s' if blocks > 1 else ''}"
            yield OtherValues(text, replace(launch, shape=shape), arguments)


def _contents(launch: PlannedLaunch, arguments: Arguments, depends: Slice, slicer: Slicer) -> Iterator[OtherValues]:
    """Yield launches with other contents of the buffers that decide, each alone."""
    constants = compared_constants(slicer)
    buffers: dict[int, set[float]] = {}
    for start in sorted(depends.contents):
        marks = {value + more for value, _ in constants.get(start, {}) for more in (-1, 0, 1)}
        for span in arguments.spans([start]):
            if span.buffer is not None and arguments.buffer(span.buffer) is not None:
                buffers.setdefault(span.buffer, set()).update(marks)
    per_buffer = [
        _other_contents(number, arguments.buffers[number], marks, launch.shape.threads_per_block)
        for number, marks in buffers.items()
    ]
    for place, contents in filter(None, chain.from_iterable(zip_longest(*per_buffer))):
        changed = list(arguments.buffers)
        changed[place] = replace(changed[place], contents=contents)
        text = f"other contents of {changed[place].name}"
        yield OtherValues(text, launch, replace(arguments, buffers=tuple(changed)))


def _other_contents(
    place: int, buffer: ArgumentBuffer, marks: Iterable[float], threads: int
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield contents of a buffer: indices of the threads in other orders, equal ones, and what conditions compare."""
    element = ELEMENTS.get(buffer.text.partition("[")[0])
    if element is None or element.name == "bf16":
        return
    count = buffer.contents.size // element.size
    fitting = [mark for mark in sorted(marks) if _fits(element, mark)]
    for every, mark in product(FEW_MARKED, fitting):
        contents = buffer.contents.copy()
        rows = contents[: count * element.size].reshape(count, element.size)
        rows[every - 1 :: every] = element.encode([mark])
        yield place, contents
    for values in _sequences(element, count, fitting, threads):
        contents = buffer.contents.copy()
        encoded = element.encode(values)
        contents[: encoded.size] = encoded
        yield place, contents


def _sequences(element: Element, count: int, marks: list[float], threads: int) -> Iterator[NDArray[np.generic]]:
    random = np.random.default_rng(count)
    places = np.arange(count)
    if marks:
        yield random.choice(np.array(marks), count)
        yield from (np.full(count, mark) for mark in marks)
    if element.kind == "f":
        yield random.uniform(-2, 2, count)
        return
    if element.kind == "b":
        yield random.integers(0, 2, count)
        return
    most = min(threads, int(np.iinfo(element.numpy).max) + 1)
    yield most - 1 - places % most
    yield random.integers(0, most, count)
    yield places % most
    yield random.integers(0, 2, count)
    yield np.zeros(count, np.int64)
    yield np.full(count, min(WARP + 1, most - 1))
    yield places % WARP


def _fits(element: Element, value: float) -> bool:
    if element.kind == "f":
        return True
    limits = (0, 1) if element.kind == "b" else (np.iinfo(element.numpy).min, np.iinfo(element.numpy).max)
    return limits[0] <= value <= limits[1] and value == int(value)

"""Values that decide which threads exchange data, and that were the same in all launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.alike_iterations import conditions_of_alike
from shflbench.checker.exchanges.specified import deciding, exchanges
from shflbench.core.words import join_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.core.dimensions import Dims
    from shflbench.emulator.dataflow.slices import Slice, Slicer


@dataclass(frozen=True, slots=True)
class SingleValues:
    """Numbers and grids of one value, for which the exchanges are known, and contents of memory, for which not."""

    numbers: tuple[str, ...] = ()  # `w = 33`, `16 blocks`
    contents: tuple[str, ...] = ()  # names of buffers
    blocks: str = ""  # the sizes of blocks that are known, if other words of the command line give others


def single_values(
    slicer: Slicer, launches: Sequence[LaunchEvidence], further: Sequence[LaunchEvidence] = ()
) -> SingleValues:
    """Return of what decides on the exchanges the part that had one value in the launches.

    The `further` launches are those for other words of the command line.
    """
    depends = deciding(slicer, conditions_of_alike(slicer))
    blocks, others = ({item.launch.shape.block for item in items} for items in (launches, further))
    varies = bool(launches) and not others <= blocks
    sizes = [_sizes(launches)] if varies else []
    numbers = [*sizes, *_numbers(depends, launches), *_blocks(slicer, depends, launches)]
    every = _sizes([*launches, *further]) if varies else ""
    return SingleValues(tuple(numbers), tuple(_contents(depends, launches)), every)


def _sizes(launches: Sequence[LaunchEvidence]) -> str:
    """Return the sizes of the blocks in words."""
    sizes = sorted({item.launch.shape.threads_per_block for item in launches})
    return f"blocks of {join_words([str(size) for size in sizes])} threads"


def _numbers(depends: Slice, launches: Sequence[LaunchEvidence]) -> Iterator[str]:
    """Yield the numbers that have the same value in all launches."""
    values: dict[str, set[int | float | None]] = {}
    for item in launches:
        for span in item.arguments.spans(depends.parameters):
            if span.buffer is None:
                values.setdefault(span.name, set()).add(span.value)
    for name, tried in values.items():
        if len(tried) == 1:
            (value,) = tried
            yield f"one value of {name}" if value is None else f"{name} = {value:.10g}"


def _blocks(slicer: Slicer, depends: Slice, launches: Sequence[LaunchEvidence]) -> Iterator[str]:
    """Yield the numbers of blocks if these decide, and one ran alone, or that of the program did not run.

    Where a number of a block is part of an address in shared memory, each block may exchange other values.
    """
    grids = {item.launch.shape.grid for item in launches}
    specified = {item.launch.whole_grid for item in launches}
    parts = [item for item in launches if item.launch.shape.sample or item.launch.shape.grid not in specified]
    whole = {item.launch.shape.grid for item in launches if item not in parts}
    if depends.grid and (len(grids) == 1 or not specified <= grids):
        yield _count(grids)
    elif not specified <= whole and slicer.of(filter(exchanges, slicer.ops), address_only=True).block:
        running = {len(item.launch.shape.sample) or item.launch.shape.blocks for item in parts}
        yield f"{join_words([str(number) for number in sorted(running)])} blocks of the grid"


def _count(grids: set[Dims]) -> str:
    numbers = sorted({x * y * z for x, y, z in grids})
    return f"{join_words([str(number) for number in numbers])} block{'s' if numbers != [1] else ''}"


def _contents(depends: Slice, launches: Sequence[LaunchEvidence]) -> Iterator[str]:
    """Yield the buffers whose contents are the same in all launches, as far as the smallest one reaches."""
    tried: dict[str, list[NDArray[np.uint8]]] = {}
    for item in launches:
        for span in item.arguments.spans(depends.contents):
            buffer = item.arguments.buffer(span.buffer)
            if buffer is not None:
                tried.setdefault(buffer.name, []).append(buffer.contents)
    for name, contents in tried.items():
        first = contents[0]
        least = min(part.size for part in contents)
        if all((part[:least] == first[:least]).all() for part in contents[1:]):
            yield name
    if depends.unknown or depends.textures:
        yield "memory that no argument points to"

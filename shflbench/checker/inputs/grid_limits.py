"""The guards that a kernel lacks where the host code rounds its grid up: the last block has more threads than work."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.cuda_sources.kernel_file import EDGE
from shflbench.emulator.dataflow.guards import Guard
from shflbench.emulator.dataflow.index_values import PARAMETER
from shflbench.emulator.dataflow.polynomials import sorted_term

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources.kernel_file import HostLaunch, SourceKernel
    from shflbench.emulator.dataflow.polynomials import Polynomial

PER_THREAD = (1, 2, 4, 8, 16, 32, 64, 128)  # elements of a thread, or of a tile for a block of one thread along an axis


def grid_limits(kernel: SourceKernel, limits: Sequence[Guard]) -> Iterator[Guard]:
    """Yield a guard for each number of which each launch has a thread per element, or per few, rounded up to blocks.

    Only along axes on which none of the `limits` depends.
    """
    launches = [item for item in kernel.host_launches if len(item.arguments) == len(kernel.parameters)]
    edges = {item.line for item in launches if any(number == EDGE for _, number in item.assumed)}
    symbols = {symbol for item in limits for term in item.index for symbol in term}
    for line in edges:
        of_line = [item for item in launches if item.line == line and item.assumed]
        for place, axis in enumerate("xyz"):
            if f"%ctaid.{axis}" in symbols:
                continue
            for number, parameter in enumerate(kernel.parameters):
                if not parameter.pointer and (tile := _tile(of_line, place, number)) is not None:
                    limit: Polynomial = Counter({(f"{PARAMETER}{parameter.offset}",): 1})
                    for index in _indexes(axis, *tile):
                        yield Guard(index, limit, frozenset(), frozenset())


def _tile(launches: Sequence[HostLaunch], place: int, number: int) -> tuple[int, int] | None:
    """Return how many elements of an argument a thread has along an axis, and a block; None if the grid counts others.

    Of a number that is at most a tile in all launches, the tile is not known.
    """
    tiles: set[tuple[int, int]] = set()
    for launch in launches:
        value = launch.arguments[number].value
        if launch.grid is None or launch.block is None or not isinstance(value, int) or value <= 0:
            return None
        blocks, threads = launch.grid[place], launch.block[place]
        fitting = {(many, many * threads) for many in PER_THREAD if blocks == -(-value // (many * threads))}
        tiles = tiles & fitting if tiles else fitting
        if not tiles:
            return None
    return tiles.pop() if len(tiles) == 1 else None


def _indexes(axis: str, per_thread: int, per_block: int) -> Iterator[Polynomial]:
    """Yield the index of the first element of a thread, and that of a block whose tile has a constant size."""
    yield Counter({sorted_term(f"%ctaid.{axis}", f"%ntid.{axis}"): per_thread, (f"%tid.{axis}",): per_thread})
    yield Counter({(f"%ctaid.{axis}",): per_block})

"""The launch that a Python program names: as text, or as numbers and tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from shflbench.checker.inputs.shapes import MOST_THREADS, parse_cluster, parse_shape
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.core.dimensions import Dims

Extent: TypeAlias = int | Sequence[int]  # blocks of a grid or threads of a block, in up to three dimensions
LaunchLike: TypeAlias = str | tuple[Extent, Extent]

ADVICE = 'Write (grid, block), such as (4, 256) or ((8, 8), (16, 16)), or a text such as "4x256".'
_MOST_DIMENSIONS = 3


def launch_shape(launch: LaunchLike, most_threads: int = MOST_THREADS) -> LaunchShape:
    """Return the shape of a launch; UsageError if it has none, or more threads."""
    if not isinstance(launch, str):
        try:
            grid, block = launch
        except (TypeError, ValueError) as error:
            raise UsageError(f"launch {launch!r} is not a launch", ADVICE) from error
        launch = f"{extent_text(grid, 'grid')}:{extent_text(block, 'block')}"
    try:
        return parse_shape(launch, most_threads, "launch")
    except UsageError as error:
        raise UsageError(error.message, ADVICE) from error


def cluster_dims(cluster: Extent | None) -> Dims | None:
    """Return the blocks of a cluster along each axis; UsageError for what is no number of blocks, or too many."""
    if cluster is None:
        return None
    try:
        return parse_cluster(extent_text(cluster, "cluster"), "cluster")
    except UsageError as error:
        raise UsageError(error.message, "Write the blocks of a cluster, such as 2 or (2, 2).") from error


def extent_text(extent: Extent, name: str) -> str:
    """Return the text of a grid or block, `8x8` for (8, 8); UsageError if it is neither a number nor a few of them."""
    sizes = list(extent) if isinstance(extent, Sequence) else [extent]
    if not 0 < len(sizes) <= _MOST_DIMENSIONS or not all(map(_is_size, sizes)):
        raise UsageError(f"{name} {extent!r} is neither a number nor a tuple of up to three numbers", ADVICE)
    return "x".join(str(int(size)) for size in sizes)


def _is_size(value: object) -> bool:
    """Return whether `value` is an integer, of Python or NumPy, that counts something."""
    return isinstance(value, SupportsIndex) and not isinstance(value, bool) and value.__index__() >= 0

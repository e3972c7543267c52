"""The sizes at which results are compared: those at which kernels leave elements out, or touch too many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import SupportsIndex, TypeAlias

PAIR = 2
WARP = 32
ODD = 37  # a size that is a multiple of nothing, of the dimensions that are not at their edges
MOST = 4099  # a prime; larger sizes only where the least one is larger

Sizes: TypeAlias = Mapping[str, int]
SizeRange: TypeAlias = "tuple[int, int] | Sequence[int]"  # least and greatest, or as a list, all that are allowed


def is_size_range(name: object, allowed: object) -> bool:
    """Whether a name has the least and the greatest size as a tuple, or a list of all that are allowed."""
    if (
        not isinstance(name, str)
        or not isinstance(allowed, tuple | list)
        or not allowed
        or not all(map(_is_size, allowed))
    ):
        return False
    return not isinstance(allowed, tuple) or (len(allowed) == PAIR and allowed[0] <= allowed[1])


def _is_size(value: object) -> bool:
    return isinstance(value, SupportsIndex) and not isinstance(value, bool) and value.__index__() >= 0


def edge_sizes(ranges: Mapping[str, SizeRange], blocks: Sequence[int]) -> list[Sizes]:
    """Return sizes around one, a warp, the blocks and their multiples, smaller ones first.

    `blocks` are the threads per block of the kernels. Of several dimensions, one after another has each of its sizes,
    and the others one that is a multiple of nothing.
    """
    if not ranges:
        return [{}]
    edges = {name: _edges(allowed, blocks) for name, allowed in ranges.items()}
    usual = {name: min(values, key=lambda value: abs(value - ODD)) for name, values in edges.items()}
    every = [{**usual, name: value} for name, values in edges.items() for value in values]
    every.append({name: values[-1] for name, values in edges.items()} if len(ranges) == 1 else dict(usual))
    unique = {tuple(sizes.items()): sizes for sizes in every}
    return sorted(unique.values(), key=lambda sizes: prod(max(1, value) for value in sizes.values()))


def greatest_sizes(ranges: Mapping[str, SizeRange]) -> Sizes:
    """Return the greatest size of each dimension."""
    return {name: max(allowed) for name, allowed in ranges.items()}


def _edges(allowed: SizeRange, blocks: Sequence[int]) -> list[int]:
    """Return the sizes of one dimension that are tried."""
    if not isinstance(allowed, tuple):
        values = sorted(set(allowed))
        return [value for value in values if value <= MOST] or values[:1]
    least, greatest = allowed
    wanted = {least, least + 1, 1, WARP - 1, WARP, WARP + 1, ODD, 4 * max(blocks, default=WARP) + 5}
    for block in blocks:
        wanted |= {block - 1, block, block + 1, 2 * block + 3}
    most = min(greatest, max(MOST, least + 1))
    return sorted({value for value in wanted if least <= value <= most} | ({greatest} if greatest <= ODD else set()))

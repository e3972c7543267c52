"""The sizes at which results are compared: those at which kernels leave elements out, or touch too many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, prod
from typing import SupportsIndex, TypeAlias

PAIR = 2
WARP = 32
ODD = 37  # a size that is a multiple of nothing, of the dimensions that are not at their edges
OF_16_BIT = 65_536  # numbers
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


def edge_sizes(ranges: Mapping[str, SizeRange], blocks: Sequence[int], parts: Mapping[str, int]) -> list[Sizes]:
    """Return sizes around one, a warp, the blocks and their multiples, smaller ones first.

    `blocks` are the threads per block of the kernels, and `parts` the greatest size of each dimension that one block
    covers, where it is known. Of several dimensions, one after another has each of its sizes, and the others one that
    is a multiple of nothing.
    """
    if not ranges:
        return [{}]
    edges = {name: _edges(allowed, blocks, parts.get(name)) for name, allowed in ranges.items()}
    usual = usual_sizes(ranges)
    every = [{**usual, name: value} for name, values in edges.items() for value in values]
    every.append({name: values[-1] for name, values in edges.items()} if len(ranges) == 1 else dict(usual))
    unique = {tuple(sizes.items()): sizes for sizes in every}
    return sorted(unique.values(), key=lambda sizes: prod(max(1, value) for value in sizes.values()))


def usual_sizes(ranges: Mapping[str, SizeRange]) -> Sizes:
    """Return a size per dimension that is a multiple of nothing, as near as the ranges allow."""
    return {name: _usual(allowed) for name, allowed in ranges.items()}


def _usual(allowed: SizeRange) -> int:
    nearest = min(allowed, key=lambda value: abs(value - ODD)) if isinstance(allowed, list) else ODD
    return int(min(max(nearest, min(allowed)), max(allowed)))


def covered_by_one(allowed: tuple[int, int], blocks: Callable[[int], int]) -> int | None:
    """Return the greatest size for which a launch has as many `blocks` as for the least one.

    None if that holds for all sizes that are tried.
    """
    low, high = allowed[0], min(allowed[1], MOST)
    least = blocks(low)
    if high <= low or blocks(high) == least:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if blocks(middle) == least else (low, middle)
    return low


def greatest_sizes(ranges: Mapping[str, SizeRange]) -> Sizes:
    """Return the greatest size of each dimension."""
    return {name: max(allowed) for name, allowed in ranges.items()}


def large_sizes(ranges: Mapping[str, SizeRange]) -> Sizes:
    """Return sizes whose product just exceeds the 16-bit numbers, as far as the ranges allow."""
    sizes: dict[str, int] = {}
    order = sorted(ranges, key=lambda name: max(ranges[name]))  # narrow dimensions first: the others make up for them
    for place, name in enumerate(order):
        missing = OF_16_BIT // max(1, prod(sizes.values())) + 1
        wanted = ceil(missing ** (1 / (len(order) - place)))
        allowed = ranges[name]
        enough = (
            (wanted, min(allowed)) if isinstance(allowed, tuple) else (value for value in allowed if value >= wanted)
        )
        sizes[name] = min(
            max(allowed), max(enough) if isinstance(allowed, tuple) else min(enough, default=max(allowed))
        )
    return {name: sizes[name] for name in ranges}


def _edges(allowed: SizeRange, blocks: Sequence[int], part: int | None) -> list[int]:
    """Return the sizes of one dimension that are tried."""
    if not isinstance(allowed, tuple):
        values = sorted(set(allowed))
        return [value for value in values if value <= MOST] or values[:1]
    least, greatest = allowed
    wanted = {least, least + 1, 1, WARP - 1, WARP, WARP + 1, ODD, 4 * max(blocks, default=WARP) + 5}
    for block in blocks:
        wanted |= {block - 1, block, block + 1, 2 * block + 3}
    if part is not None:
        wanted |= {part - 1, part, part + 1, 2 * part + 3}
    most = min(greatest, max(MOST, least + 1))
    return sorted({value for value in wanted if least <= value <= most} | ({greatest} if greatest <= ODD else set()))

"""The sizes at which results are compared: those at which kernels leave elements out, or touch too many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

WARP = 32
ODD = 37  # a size that is a multiple of nothing, of the dimensions that are not at their edges
MOST = 4099  # a prime; larger sizes only where the least one is larger

Sizes: TypeAlias = Mapping[str, int]
SizeRange: TypeAlias = "tuple[int, int] | Sequence[int]"  # least and greatest, or as a list, all that are allowed


def edge_sizes(ranges: Mapping[str, SizeRange], blocks: Sequence[int]) -> list[Sizes]:
    """Return sizes around one, a warp, the blocks and their multiples, smaller ones first.

    `blocks` are the threads per block of the kernels. Of several dimensions, one after another has each of its sizes,
    and the others one that is a multiple of nothing.
    """
    if not ranges:
        return [{}]
    edges = {name: _edges(allowed, blocks) for name, allowed in ranges.items()}
    usual = {name: min(values, key=lambda value: abs(value - ODD)) for name, values in edges.items()}
    found = [{**usual, name: value} for name, values in edges.items() for value in values]
    found.append({name: values[-1] for name, values in edges.items()} if len(ranges) == 1 else dict(usual))
    unique = {tuple(sizes.items()): sizes for sizes in found}
    return sorted(unique.values(), key=lambda sizes: _product(sizes.values()))


def greatest_sizes(ranges: Mapping[str, SizeRange]) -> Sizes:
    """Return the greatest size of each dimension."""
    return {name: max(allowed) for name, allowed in ranges.items()}


def _edges(allowed: SizeRange, blocks: Sequence[int]) -> list[int]:
    if not isinstance(allowed, tuple):
        return sorted(set(allowed))
    least, greatest = allowed
    wanted = {least, least + 1, 1, WARP - 1, WARP, WARP + 1, ODD}
    for block in blocks:
        wanted |= {block - 1, block, block + 1, 2 * block + 3}
    most = min(greatest, max(MOST, least + 1))
    return sorted({value for value in wanted if least <= value <= most} | {min(most, 4 * max(blocks, default=WARP) + 5)})


def _product(values: Sequence[int] | object) -> int:
    product = 1
    for value in values:  # type: ignore[attr-defined]
        product *= max(1, value)
    return product

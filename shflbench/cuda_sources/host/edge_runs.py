"""Run host code with a number that ends in a part of a tile, where its grids count that part as a whole tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.host.run_usefulness import blocks_of, is_valid
from shflbench.cuda_sources.kernel_file import EDGE, is_rounded_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.cuda_sources.host.machine import HostState, Performed


def edges_of_runs(performed: Sequence[Performed], run_with: Callable[[int], HostState]) -> list[Performed]:
    """Return the launches of a run with a number that ends in a part of a tile, if its grids are rounded up."""
    return edge_launches(performed, lambda number: run_with(number).performed)


def edge_launches(performed: Sequence[Performed], run_with: Callable[[int], Sequence[Performed]]) -> list[Performed]:
    """Return the launches with a number that ends in a part of a tile, if grids of those `performed` are rounded up."""
    several = [item for item in performed if item.launch.assumed and is_valid(item) and blocks_of(item) > 1]
    widest = {item.node.id: item for item in sorted(several, key=blocks_of)}
    return [
        item
        for item in (run_with(EDGE) if widest else ())
        if is_valid(item) and item.node.id in widest and is_rounded_up(item.launch, widest[item.node.id].launch)
    ]

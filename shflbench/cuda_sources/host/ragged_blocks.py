"""Run host code with a number that is no multiple of a warp, where a size of its data is that of its blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.cuda_sources.host.run_usefulness import is_valid, threads_of
from shflbench.cuda_sources.kernel_file import PART_OF_WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.cuda_sources.host.machine import HostState, Performed


def ragged_launches(performed: Sequence[Performed], run_with: Callable[[int], HostState]) -> list[Performed]:
    """Return launches in blocks that end in a part of a warp, of places where all those `performed` have whole warps.

    The number of threads is one that the caller passes, as where a block has a thread per token of a sequence.
    """
    valid = [item for item in performed if is_valid(item)]
    ragged = {item.node.id for item in valid if threads_of(item) % WARP and threads_of(item) > WARP}
    places = {item.node.id for item in valid if _has_block_of_number(item)} - ragged
    known = {item.kernel for item in valid if item.node.id in places}
    return [
        item
        for item in (run_with(PART_OF_WARP).performed if places else ())
        if item.node.id in places and item.kernel in known and is_valid(item) and threads_of(item) % WARP
    ]


def _has_block_of_number(item: Performed) -> bool:
    """Whether a block has as many threads as a number of the caller says."""
    return any(number == threads_of(item) for _, number in item.launch.assumed)

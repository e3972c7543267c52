"""Split consecutive samples into blocks that take the place of rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from shflbench.store.readers.recording import Floats

# The slow states of an H200 last up to 0.1 s and affect every sample of that time: samples closer to one another are
# not independent (docs/explanation/how-we-compare.md).
BLOCK_SECONDS = 0.1
ROUNDING = 1e-9  # of a sum of durations


def split_into_blocks(times_us: Floats, seconds: Floats) -> tuple[Floats, ...]:
    """Split the times of one case in one process into blocks of at least `BLOCK_SECONDS`.

    `seconds` is how long the measurement of each sample took, at least. What remains at the end belongs to the last
    block; if all samples together took less than a block, there is one block.
    """
    ends = np.cumsum(seconds)
    bounds = [0]
    while True:
        start = ends[bounds[-1] - 1] if bounds[-1] else 0.0
        end = int(np.searchsorted(ends, start + BLOCK_SECONDS - ROUNDING)) + 1
        if end > len(times_us) or end <= bounds[-1]:
            break
        bounds.append(end)
    inner = bounds[1:-1] if len(bounds) > 1 else []
    return tuple(np.split(times_us, inner))

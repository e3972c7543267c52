"""Rotations that are wrong, crash or never end, and a correct one; each passes every check of the machine code."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Variant

SUMMARIES = {
    "right": "correct",
    "one-lane": "wrong in one lane of the last warp",
    "second-iteration": "wrong from the second iteration on",
    "unrolled-body": "wrong in whole passes through the unrolled loop",
    "lost-passes": "whole passes through the unrolled loop do nothing",
    "illegal": "stores its result where no memory is mapped",
    "misaligned": "stores its result at odd addresses when it is timed",
    "endless": "does not end when it is verified",
    "endless-when-timed": "does not end when it is timed",
}

PATTERN = Pattern(
    summary="Each lane takes the value of its right neighbor in the warp.",
    source="planted for the tests",
    buffers=(Input("values"), Output("result")),
    variants=tuple(
        Variant(
            name=name,
            mechanism=Mechanism.SHFL,
            baseline=name == "right",
            summary=summary,
            per_iteration={"SHFL": PerWord(1)},
        )
        for name, summary in SUMMARIES.items()
    ),
)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    """Rotate each warp's values (shape [warps, 32]) left by `iterations`."""
    return np.roll(values, -iterations, axis=1)

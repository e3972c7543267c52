"""Rotations that ask for more shared memory than a block has by default, and for more than any GPU has."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

KIB = 1024


def large(_at: Setting) -> int:
    """Return more than the 48 KiB that a block gets without asking, and no more than sm_75 and newer have."""
    return 64 * KIB


def too_large(_at: Setting) -> int:
    """Return more than any GPU has."""
    return 1024 * KIB


PATTERN = Pattern(
    summary="Each lane takes the value of its right neighbor in the warp.",
    source="planted for the tests",
    buffers=(Input("values"), Output("result")),
    variants=tuple(
        Variant(
            name=name,
            mechanism=Mechanism.SMEM,
            baseline=name == "large",
            summary="through the end of its shared memory",
            shared=shared,
            per_iteration={"STS": 1, "LDS": 1},
        )
        for name, shared in {"large": large, "too-large": too_large}.items()
    ),
)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    """Rotate each warp's values (shape [warps, 32]) left by `iterations`."""
    return np.roll(values, -iterations, axis=1)

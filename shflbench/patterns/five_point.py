"""The 5-point moving average of `moving-average` and `moving-average-blocked`: its source and its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ALSO_CALLED", "NOTES", "SOURCE", "means"]

SOURCE = "Acceleware, Kepler's Shuffle Instruction"
ALSO_CALLED = ("stencil", "stencil 1d", "convolution")
NOTES = (
    "All five weights are equal: every variant adds the elements in the same order and multiplies the sum by 0.2, so "
    "that the results are bitwise identical. The first two and the last two results are zero."
)


def means(x: NDArray[np.floating]) -> NDArray[np.floating]:
    """Add five neighbors from left to right in the type's own arithmetic, and multiply by 0.2."""
    total = x[:-4]
    for offset in range(1, 5):
        total = total + x[offset : len(x) - 4 + offset]
    y = np.zeros_like(x)
    y[2:-2] = total * x.dtype.type(0.2)
    return y

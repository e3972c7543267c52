"""Kernels for `inspect`: a loop that the compiler must not unroll, and kernels that waste registers."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

PATTERN = Pattern(
    summary="Each lane takes the value of the next one.",
    source="planted for the tests",
    dtypes=("f32",),
    unroll=1,
    buffers=(Input("values"), Output("result")),
    variants=(
        Variant(name="alone", mechanism=Mechanism.SHFL, summary="one loop", baseline=True),
        Variant(name="followed", mechanism=Mechanism.SHFL, summary="one loop, and a short one behind it"),
        Variant(name="spilling", mechanism=Mechanism.SHFL, summary="64 values in 32 registers"),
        Variant(name="hoarding", mechanism=Mechanism.SHFL, summary="64 values in as many registers as they need"),
    ),
)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    return np.roll(values, -iterations, axis=1)

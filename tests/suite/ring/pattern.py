"""A user's own pattern, with an option and with variants that not every dtype has."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

PATTERN = Pattern(
    summary="Each lane takes another lane's value.",
    source="tests",
    dtypes=("f32", "i32"),
    buffers=(Input("values"), Output("result")),
    variants=(
        Variant(name="smem", mechanism=Mechanism.SMEM, baseline=True, summary="shared memory"),
        Variant(name="smem-unsafe", mechanism=Mechanism.SMEM_UNSAFE, safe=False, summary="no barrier"),
        Variant(name="shfl", mechanism=Mechanism.SHFL, summary="shuffle"),
        Variant(name="match", mechanism=Mechanism.COLLECTIVE, dtypes=("i32",), summary="match"),
    ),
    options={"mode": ("idx", "up", "down"), "width": ("32", "16")},
)


def reference(values: NDArray[np.generic], iterations: int, **options: str) -> NDArray[np.generic]:
    """Leave the values as they are: these tests run nothing."""
    del iterations, options
    return values

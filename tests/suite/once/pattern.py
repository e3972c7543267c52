"""A user's own pattern whose kernels make one pass over their data."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

PATTERN = Pattern(
    summary="Each lane takes another lane's value, once.",
    source="tests",
    one_pass=True,
    buffers=(Input("values"), Output("result")),
    variants=(
        Variant(name="smem", mechanism=Mechanism.SMEM, baseline=True, summary="shared memory"),
        Variant(name="shfl", mechanism=Mechanism.SHFL, summary="shuffle"),
    ),
)


def reference(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """Leave the values as they are: these tests run nothing."""
    return values

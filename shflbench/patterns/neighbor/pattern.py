"""Each lane takes its right neighbour's value, and the last lane the first one's."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Variant, elements_per_thread

PATTERN = Pattern(
    summary="Each lane takes the value of its right neighbour in the warp.",
    source="GTC 2013, Shuffle: Tips and Tricks, performance experiment",
    buffers=(Input("values"), Output("result")),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="shared memory, a block barrier after the write and after the read",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": 1, "BAR": 2},
        ),
        Variant(
            name="smem-double",
            mechanism=Mechanism.SMEM,
            summary="shared memory, two buffers, one block barrier",
            shared=elements_per_thread(2),
            per_iteration={"STS": 1, "LDS": 1, "BAR": 1},
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="shared memory, a warp barrier after the write and after the read",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": 1},
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="volatile shared memory, no barrier: trusts in lock step",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": 1},
        ),
        Variant(
            name="smem-deck",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="as printed in the GTC deck: load, store, one block barrier; racy since Volta",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": 1, "BAR": 1},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one indexed shuffle a 32-bit word",
            per_iteration={"SHFL": PerWord(1)},
        ),
    ),
)


def reference(values: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    """Rotate each warp's values (shape [warps, 32]) left by `iterations`."""
    return np.roll(values, -iterations, axis=1)

"""Each lane takes the value of another lane: a neighbor, or its partner in a pair."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Variant, elements_per_thread

PATTERN = Pattern(
    summary="Each lane reads the value of another lane: of an adjacent lane, or of its partner in a pair.",
    source="GTC 2013, Shuffle: Tips and Tricks, performance experiment",
    dtypes=("f32",),
    options={"mode": ("idx",)},
    representative={"launch": "26x1024"},
    also_called=("shift", "halo exchange", "lane exchange", "shuffle"),
    buffers=(Input("values"), Output("result")),
    notes=(
        "The kernel that the GTC 2013 slides call safe has one barrier per iteration and therefore a race condition on "
        "every GPU since Volta. It is kept as `smem-deck`; `smem` has the second barrier. The inline PTX of the 64-bit "
        'shuffle on the slides contains `mov.b32` where `mov.b64` is correct, and `"=d(x)"` where `"=d"(x)` is '
        "correct; this pattern uses `__shfl_sync`. The slides rotate the values by one lane 4096 times, which restores "
        "the input; verification therefore runs other iteration counts. Repeated exchanges with `mode=up` or "
        "`mode=down` would make all lanes equal, and with `mode=xor` they would restore the input; in these modes, "
        "each iteration computes `x + 2 * received` on the bit patterns, interpreted as unsigned integers, which takes "
        "one integer instruction per word in every variant. Shuffling a 16-bit value takes one additional instruction "
        "(`PRMT`), because a shuffle moves 32 bits."
    ),
    launch_bounds=True,
    variants=(
        Variant(name="shfl", mechanism=Mechanism.SHFL, baseline=True, summary="published", per_iteration={"SHFL": 1}),
        Variant(name="x-smem-known", mechanism=Mechanism.SMEM, summary="two buffers side by side, one barrier", per_iteration={"STS": 1, "LDS": 1}, shared=elements_per_thread(2)),
        Variant(name="x-smem-behind", mechanism=Mechanism.SMEM, summary="the first lane stores again behind the last one", per_iteration={"STS": 2, "LDS": 1}, shared=elements_per_thread(3)),
        Variant(name="x-down-wrap", mechanism=Mechanism.SHFL, summary="down, and a broadcast for the last lane", per_iteration={"SHFL": 2}),
    ),
)

LANES = np.arange(WARP)

# The lane whose value each lane takes. At the edge, up and down leave a lane its own value, as the hardware does.
SOURCES = {
    "idx": (LANES + 1) % WARP,
    "up": np.maximum(LANES - 1, 0),
    "down": np.minimum(LANES + 1, WARP - 1),
    "xor": LANES ^ 1,
}


def reference(values: NDArray[np.generic], iterations: int, mode: str) -> NDArray[np.generic]:
    """Take the source lane's value `iterations` times; other modes than idx add it twice, as wrapping integers.

    Shape [warps, 32], or [warps, 32, components] for a vector type.
    """
    if mode == "idx":
        return np.roll(values, -iterations, axis=1)
    bits = values.view(f"u{values.dtype.itemsize}")
    for _ in range(iterations):
        bits = bits + (bits[:, SOURCES[mode]] << 1)
    return bits.view(values.dtype)

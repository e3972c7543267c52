"""Each lane takes the value of another lane: a neighbor, or its partner in a pair."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Variant, elements_per_thread

PATTERN = Pattern(
    summary="Each lane takes the value of another lane: a neighbor, or its partner in a pair.",
    source="GTC 2013, Shuffle: Tips and Tricks, performance experiment",
    dtypes=("f16", "bf16", "f32", "f64", "i32", "i64", "f32x2", "f32x4"),
    options={"mode": ("idx", "up", "down", "xor")},
    buffers=(Input("values"), Output("result")),
    claims={
        "G01": "for 32-bit values SHFL is always faster than shared memory with __syncthreads",
        "G02": "for 64-bit values SHFL is always faster than shared memory with __syncthreads",
        "G03": "for 32-bit values SHFL is never slower than volatile shared memory without a barrier",
        "G04": "for 64-bit values SHFL is never slower than volatile shared memory without a barrier",
        "G05": "SHFL is much safer than volatile shared memory without a barrier",
        "G06": "SHFL needs no shared memory",
        "G07": "SHFL helps where shared memory limits occupancy",
        "G08": "any-to-any, up, down and xor are one SHFL each",
        "G09": "a 64-bit shuffle is two 32-bit shuffles",
        "G22": "SHFL is always faster than shared memory with __syncthreads",
        "G23": "SHFL is never slower than volatile shared memory without a barrier",
        "A01": "SHFL is one instruction where shared memory takes three: write, synchronize, read",
        "A02": "SHFL frees shared memory, so that more threads fit a multiprocessor",
        "A05": "SHFL can replace code that relies on lockstep execution of a warp",
        "A07": "up and down give a lane at the edge its own value; xor is a butterfly",
        "N13": "xor applied twice gives the original value back",
    },
    notes="The deck's safe kernel has one barrier per iteration and has a race on every GPU since Volta: it is kept as "
    "smem-deck; smem has the second barrier that it lacks. The deck's 64-bit shuffle prints mov.b32 and =d(x) where "
    "mov.b64 and =d are meant; CUDA's own __shfl_sync is used. Its 4096 iterations of a rotation by one lane reproduce "
    "the input: verification runs other counts. Repeated, up and down make all lanes equal and xor reproduces the "
    "input; in these modes an iteration computes x + 2·received on the bits, which is one integer instruction per word "
    "in every variant. Shuffling a 16-bit value takes one more instruction, PRMT, because a shuffle moves 32 bits.",
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
            summary="volatile shared memory, no barrier: relies on lockstep execution",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": 1},
        ),
        Variant(
            name="smem-deck",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="as printed in the GTC deck: load, store, one block barrier; a race since Volta",
            shared=elements_per_thread(1),
            per_iteration={"STS": 1, "LDS": 1, "BAR": 1},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one shuffle per 32-bit word, of the kind that the mode names",
            per_iteration={"SHFL": PerWord(1)},
        ),
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

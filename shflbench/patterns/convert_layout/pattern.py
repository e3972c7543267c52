"""Bits of the lane are exchanged with bits of the register number."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

REGISTERS = 32
WIDE = 4  # words of a wide store


def elements(at: Setting) -> int:
    """Return the elements of all registers."""
    return at.threads * REGISTERS


def rows(at: Setting) -> int:
    """Return the shared memory of a block, which holds all registers."""
    return at.block * REGISTERS * at.dtype.size


PATTERN = Pattern(
    summary=(
        "Each lane has 32 registers, and the lowest `bits` bits of the lane are exchanged with those of the register "
        "number, as in the conversion of a register layout."
    ),
    source="triton-lang/triton, pull requests 5419, 7558 and 10360",
    dtypes=("i32",),
    options={"bits": ("3", "1", "2", "4", "5")},
    representative={"launch": "fill x 128"},
    also_called=("layout conversion", "convert_layout", "register transpose"),
    buffers=(Input("values", elements=elements), Output("result", elements=elements)),
    unroll=2,
    blocks=(32, 64, 128, 256),
    notes=(
        "With 5 bits, each warp transposes 32x32 words. Bit by bit, shuffles are 16 per bit, with 48 conditional moves "
        "per bit; partner by partner, they are 16, 24, 28, 30 and 31 for 1 to 5 bits, with 64 conditional moves per "
        "bit, or 48 for a single bit. In shared memory, the number of bits changes only where words lie. After a "
        "conversion, each iteration multiplies register i by an odd number that depends on i, and adds the number of "
        "the lane."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="shared memory; words change places by xor, which avoids bank conflicts; two `__syncwarp()`",
            shared=rows,
            per_iteration={"STS": REGISTERS, "LDS": REGISTERS},
        ),
        Variant(
            name="smem-wide",
            mechanism=Mechanism.SMEM,
            summary="like `smem`, with stores of 16 bytes, which change places as a whole",
            shared=rows,
            per_iteration={"STS": REGISTERS // WIDE, "LDS": REGISTERS},
        ),
        Variant(
            name="shfl-bits",
            mechanism=Mechanism.SHFL,
            summary="xor shuffles of half of the registers for each bit",
            per_iteration=lambda _, options: {"SHFL": REGISTERS // 2 * int(options["bits"])},
        ),
        Variant(
            name="shfl-rounds",
            mechanism=Mechanism.SHFL,
            summary="one xor shuffle per register that moves, between conditional moves in each lane",
            per_iteration=lambda _, options: {"SHFL": REGISTERS - (REGISTERS >> int(options["bits"]))},
        ),
    ),
)


FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(values: NDArray[np.int32], iterations: int, bits: str) -> NDArray[np.int32]:
    """Exchange the bits and advance as in layout.cuh, `iterations` times, in wrapping integers; shape [warps·32·32]."""
    side = 2 ** int(bits)
    lanes = np.arange(WARP, dtype=np.uint32)
    factors = FACTOR + 2 * np.arange(REGISTERS, dtype=np.uint32)[:, None]
    x = values.view(np.uint32).reshape(-1, REGISTERS, WARP)
    for _ in range(iterations):
        split = x.reshape(-1, REGISTERS // side, side, WARP // side, side)
        x = split.swapaxes(2, 4).reshape(-1, REGISTERS, WARP) * factors + lanes
    return x.view(np.int32).reshape(values.shape)

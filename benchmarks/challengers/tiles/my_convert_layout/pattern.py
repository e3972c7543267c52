"""Bits of the lane are exchanged with bits of the element number."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

ELEMENTS = 32  # per lane
WORD = 4  # bytes of a register
WIDE = 4  # words of a wide store


def elements(at: Setting) -> int:
    """Return the elements of all lanes."""
    return at.threads * ELEMENTS


def rows(at: Setting) -> int:
    """Return the shared memory of a block, which holds all elements."""
    return at.block * ELEMENTS * at.dtype.size


def registers(dtype: Dtype) -> int:
    """Return the registers of a lane that hold its elements."""
    return ELEMENTS * dtype.size // WORD


def counts_of_bits(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Count a shuffle per two registers and bit, and three permutations of bytes where a bit is within a register."""
    pairs, bits = registers(dtype) // 2, int(options["bits"])
    within = min(bits, (WORD // dtype.size).bit_length() - 1)
    return {"SHFL": pairs * bits, **({"PRMT": 3 * pairs * within} if within else {})}


PATTERN = Pattern(
    summary=(
        "Each lane has 32 elements, and the lowest `bits` bits of the lane are exchanged with those of the element "
        "number, as in the conversion of a register layout."
    ),
    source="triton-lang/triton, pull requests 5419, 7558 and 10360",
    dtypes=("i32",),
    options={"bits": ("3", "1", "2", "4", "5")},
    representative={"launch": "fill x 128"},
    also_called=("layout conversion", "convert_layout", "register transpose"),
    buffers=(Input("values", elements=elements), Output("result", elements=elements)),
    launch_bounds=True,
    unroll=2,
    blocks=(32, 64, 128, 256),
    notes=(
        "With 5 bits, each warp transposes 32x32 elements. A register has one element of 32 bits, two of 16, or four"
        " of 8, whose numbers are adjacent. Of 32-bit elements: bit by bit, shuffles are 16 per bit, with 48 "
        "conditional moves per bit; partner by partner, they are 16, 24, 28, 30 and 31 for 1 to 5 bits, with 64 "
        "conditional moves per bit, or 48 for a single bit. In shared memory, the number of bits changes only where "
        "words lie. Of smaller elements, shared memory takes a load for each, and shuffles one per two registers and"
        " bit, with three byte permutations if the bit is within a register. After a conversion, each iteration "
        "multiplies register i by an odd number that depends on i, and adds the number of the lane."
    ),
    variants=(
        *(
            Variant(
                name=f"x-bits-mad{n}",
                mechanism=Mechanism.SHFL,
                baseline=n == 1,
                summary=f"shfl-bits; about {n} of 4 words are written back by predicated multiplications",
                per_iteration=counts_of_bits,
            )
            for n in (1, 2, 3, 4)
        ),
        *(
            Variant(
                name=name,
                mechanism=Mechanism.HYBRID,
                summary="half of the words by shuffles, half by stmatrix and 16-byte loads",
                only={"bits": ("3",)},
                needs="sm_90",
                shared=rows,
                per_iteration={"SHFL": 16, "STSM": 4, "LDS": 4},
            )
            for name in ("x-half", "x-half-mad2", "x-half-double")
        ),
        Variant(
            name="x-quarter",
            mechanism=Mechanism.HYBRID,
            summary="a quarter of the words by shuffles, the others by stmatrix and 16-byte loads",
            only={"bits": ("5",)},
            needs="sm_90",
            shared=lambda at: at.block * 96,
            per_iteration={"SHFL": 7, "STSM": 6, "LDS": 6},
        ),
        *(
            Variant(
                name=name,
                mechanism=Mechanism.SMEM,
                summary="stores of 4 bytes by rows (mixed: half of them by stmatrix), loads of 16 bytes",
                only={"bits": ("3", "2", "4", "5")},
                needs="sm_90",
                shared=rows,
                per_iteration={"STS": 32 - 8 * matrices, "STSM": 2 * matrices, "LDS": 8} if matrices else {"STS": 32, "LDS": 8},
            )
            for name, matrices in (("x-rows-wide", 0), ("x-rows-mixed", 2))
        ),
        Variant(
            name="x-stmatrix-double",
            mechanism=Mechanism.SMEM,
            summary="smem-stmatrix with two tiles in turn",
            only={"bits": ("3", "2", "4", "5")},
            needs="sm_90",
            shared=lambda at: 2 * rows(at),
            per_iteration={"STSM": ELEMENTS // WIDE, "LDS": ELEMENTS // WIDE},
            opcodes=("STSM.16.M88.4", "LDS.128"),
        ),
    ),
)


FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def reference(values: NDArray[np.signedinteger], iterations: int, bits: str) -> NDArray[np.signedinteger]:
    """Exchange the bits and advance as in layout.cuh, `iterations` times, in wrapping integers; shape [warps·32·32]."""
    side, parts, kind = 2 ** int(bits), WORD // values.itemsize, f"u{values.itemsize}"
    words = ELEMENTS // parts
    lanes = np.arange(WARP, dtype=np.uint32)
    factors = FACTOR + 2 * np.arange(words, dtype=np.uint32)[:, None]
    x = values.view(np.uint32).reshape(-1, words, WARP)
    for _ in range(iterations):
        by_element = x.view(kind).reshape(-1, words, WARP, parts).swapaxes(2, 3)
        split = by_element.reshape(-1, ELEMENTS // side, side, WARP // side, side).swapaxes(2, 4)
        by_lane = np.ascontiguousarray(split.reshape(-1, words, parts, WARP).swapaxes(2, 3))
        x = by_lane.reshape(-1, words, WARP * parts).view(np.uint32) * factors + lanes
    return x.reshape(-1).view(values.dtype)

"""A warp loads matrices of 8x8 elements of 16 bits from shared memory."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

TILES = 4
SIDE = 64  # rows of a tile, and elements per row
ROWS = 16  # that a warp loads
ROW_BYTES = 128
MATRIX = 8  # rows of a matrix, and elements per row
MATRICES = ROWS * SIDE // MATRIX**2
LANES = 4  # that load a row of a matrix


def elements(at: Setting) -> int:
    """Return the elements of the tiles of all blocks."""
    return at.grid * TILES * SIDE * SIDE


def tiles(load: int) -> Callable[[Setting], int]:
    """Return the shared memory of a block whose lanes load so many bytes at once."""

    def size(at: Setting) -> int:
        padding = LANES * load if at.options["layout"] == "padded" else 0
        return TILES * SIDE * (ROW_BYTES + padding)

    return size


PATTERN = Pattern(
    summary=(
        "Each warp loads 16 matrices of 8x8 elements of 16 bits from shared memory: 16 rows of a tile of 64x64 "
        "elements, as fragments of `mma.sync`."
    ),
    source="PTX ISA, ldmatrix, and matrix fragments for mma.m16n8k16; NVIDIA/cutlass, issue 3172",
    dtypes=("i16",),
    options={"layout": ("swizzled", "padded", "plain")},
    representative={"launch": "fill x 256"},
    also_called=("ldmatrix", "swizzle", "bank conflicts of ldmatrix", "operand of mma"),
    buffers=(
        Input("values", elements=elements),
        Output("result", elements=lambda at: at.threads * MATRICES, dtype="i32"),
    ),
    launch_bounds=True,
    unroll=4,
    notes=(
        "Every variant loads 2048 bytes per warp and iteration, and every lane gets the same words: lane 4·row + k has "
        "elements 2·k and 2·k + 1 of that row of each matrix. For `lds-64` and `lds-128`, what a lane loads at once, "
        "words of two or four matrices, lies together in shared memory: who stores the tile has permuted its columns. "
        "For `ldmatrix-x4-trans`, the tile is transposed in shared memory. A row has 128 bytes: with `layout=plain`, "
        "eight rows use the same banks, of which `lds-64` loads four and `lds-128` two at once. With `layout=padded`, "
        "a row is longer by what four lanes load at once, 16, 32 or 64 bytes; with `layout=swizzled`, units of "
        "that size are exchanged by xor with the number of the row. The block stores its tiles once, before the loop. "
        "The lowest bits of all words of a tile name the tile that is loaded next: each iteration waits for the last."
    ),
    variants=(
        *(
            Variant(
                name=name,
                mechanism=Mechanism.SMEM if list(counts) == ["LDS"] else Mechanism.MATRIX,
                baseline=name == "x-lds-128",
                summary=name,
                only={"layout": layouts},
                needs="sm_90",
                shared=tiles(load),
                per_iteration=counts,
            )
            for name, layouts, load, counts in (
                ("x-lds-128", ("swizzled", "padded", "plain"), 16, {"LDS": 4}),
                ("x-halves-mad", ("plain",), 16, {"LDS": 4}),
                ("x-halves-sel", ("plain",), 16, {"LDS": 4}),
                ("x-halves-mix", ("plain",), 16, {"LDS": 4}),
                ("x-halves-shift", ("plain",), 16, {"LDS": 4}),
                ("x-diagonal-ldmatrix", ("plain",), 4, {"LDSM": 4}),
                ("x-trans", ("swizzled", "padded"), 4, {"LDSM": 4}),
                ("x-trans-tail", ("swizzled", "padded"), 4, {"LDSM": 5}),
                ("x-trans-tail1", ("swizzled", "padded"), 4, {"LDSM": 6}),
                ("x-trans-twos", ("swizzled", "padded"), 4, {"LDSM": 8}),
                ("x-rows", ("swizzled", "padded"), 4, {"LDSM": 4}),
                ("x-rows-order", ("swizzled", "padded"), 4, {"LDSM": 4}),
            )
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.int16]:
    """Draw elements whose lowest two bits are the number of the next tile; shape [blocks, tiles, rows, columns]."""
    shape = (at.grid, TILES, SIDE, SIDE)
    after = np.arange(1, TILES + 1).reshape(TILES, 1, 1) % TILES
    return (rng.integers(-(2**13), 2**13, shape) * TILES + after).astype(np.int16)


def reference(values: NDArray[np.int16], iterations: int, layout: str, at: Setting) -> NDArray[np.int32]:  # noqa: ARG001 (no layout changes it)
    """Mix the words of the tiles in the order in which they name one another; shape [warps, matrices, 32]."""
    words = fragments(values)[:, :, np.arange(at.block // WARP) % (SIDE // ROWS)]
    mixed = np.zeros_like(words[:, 0])
    blocks, tile = np.arange(at.grid), np.zeros(at.grid, np.int64)
    for _ in range(iterations):
        loaded = words[blocks, tile]
        mixed = mixed * FACTOR + loaded
        tile = loaded[:, 0, 0, 0].astype(np.int64) % TILES
    return mixed.reshape(-1, MATRICES, WARP).view(np.int32)


def fragments(values: NDArray[np.int16]) -> NDArray[np.uint32]:
    """Return the words of all lanes; shape [blocks, tiles, groups of 16 rows, matrices, 32]."""
    halves, columns = ROWS // MATRIX, SIDE // MATRIX
    rows = np.ascontiguousarray(values).view(np.uint32)
    shape = (-1, TILES, SIDE // ROWS, halves, MATRIX, columns, LANES)
    ordered = rows.reshape(shape).transpose(0, 1, 2, 5, 3, 4, 6)  # column, half, row, word
    return ordered.reshape(-1, TILES, SIDE // ROWS, MATRICES, WARP)

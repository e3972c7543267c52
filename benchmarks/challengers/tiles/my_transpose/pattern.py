"""Each warp transposes a tile: words that a coalesced load striped over the lanes become consecutive in a lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.model import Dtype

WORDS = ("8", "2", "3", "4", "32")
POWERS_OF_TWO = ("8", "2", "4", "16", "32")
WIDEST_LOAD = 4  # words


def elements(at: Setting) -> int:
    """Return the number of elements of the whole buffer: each lane holds `words`."""
    return at.threads * at.whole("words")


def tile(at: Setting) -> int:
    """Return the shared memory of a block whose tiles are not padded."""
    return at.block * at.whole("words") * at.dtype.size


def half_tile(at: Setting) -> int:
    """Return the shared memory of a block for half of its words."""
    return tile(at) // 2


def padded_tile(at: Setting) -> int:
    """Return the shared memory of a block with one unused word after each 32."""
    return at.block // WARP * (WARP + 1) * at.whole("words") * at.dtype.size


def cub_tile(at: Setting) -> int:
    """Return enough shared memory for CUB, which pads a tile by one word, or for some sizes like ours."""
    return padded_tile(at) + at.block // WARP * at.dtype.size


def words(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the counts per iteration of an exchange through shared memory, word by word."""
    count = int(options["words"])
    return {"STS": count, "LDS": count}


def words_and_barriers(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the same counts with two block barriers."""
    return {**words(dtype, options), "BAR": 2}


def wide_words(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the counts if a load takes up to four consecutive words, as far as they are aligned."""
    count = int(options["words"])
    width = next(width for width in (WIDEST_LOAD, 2, 1) if count % width == 0)
    return {**words(dtype, options), "LDS": count // width}


def stored_matrices(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return a store of four registers and a load of 16 bytes per four words."""
    return {"STSM": int(options["words"]) // 4, "LDS": int(options["words"]) // 4}


def wide_words_and_barriers(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the same counts with two block barriers."""
    return {**wide_words(dtype, options), "BAR": 2}


def half_of_words(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return a shuffle for half of the words, and a store for the others, which one load reads."""
    half = int(options["words"]) // 2
    return {"SHFL": half, "STS": half, "LDS": 1}


def shuffles(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return one shuffle per word."""
    return {"SHFL": int(options["words"])}


def shuffles_of_pairs(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return one shuffle per pair of words and bit of the register number, and one per word to sort the lanes first."""
    count = int(options["words"])
    bits = count.bit_length() - 1
    return {"SHFL": bits * count // 2 + (count if count < WARP else 0)}


PATTERN = Pattern(
    summary="Each warp transposes its tile of 32 x `words` words, so that each lane gets consecutive words.",
    source="GTC 2013, Shuffle: Tips and Tricks, transpose",
    notes=(
        "Before an iteration, register `i` of lane `l` holds word `32 * i + l` of the tile, as after a coalesced load; "
        "after the iteration, it holds word `words * l + i`, as after loading an array of structures. Repeated "
        "transposing restores the input after 6, 36, 7, 8, 9 and 2 iterations for 2, 3, 4, 8, 16 and 32 words. The "
        "loop is unrolled by 5, and none of these numbers divides 5 or 15; skipping one or three iterations of the "
        "unrolled loop therefore changes the result. The kernels need not modify the words to make skipped iterations "
        "detectable. In `smem`, the compiler merges the loads of consecutive words into loads of up to 128 bits, as "
        "far as their alignment permits."
    ),
    dtypes=("f32",),
    options={"words": WORDS},
    launch_bounds=True,
    unroll=5,
    representative={"launch": "104x256"},
    also_called=("warp transpose", "matrix transpose"),
    buffers=(Input("values", elements=elements), Output("result", elements=elements)),
    variants=(
        *(
            Variant(
                name=name,
                mechanism=mechanism,
                baseline=name == "x-shfl-mad",
                summary=name,
                only={"words": sizes},
                needs="sm_90",
                **({"shared": shared} if shared else {}),
                per_iteration=counts,
            )
            for name, mechanism, sizes, shared, counts in (
                ("x-shfl-mad", Mechanism.SHFL, ("8", "2", "3", "4"), None, shuffles),
                ("x-shfl-all", Mechanism.SHFL, ("2",), None, {"SHFL": 4}),
                ("x-shfl-sel", Mechanism.SHFL, ("3",), None, {"SHFL": 3}),
                ("x-registers", Mechanism.SMEM, ("8", "2", "3", "4"), padded_tile, words),
                ("x-store-wide", Mechanism.SMEM, ("8", "2", "3", "4"), tile, lambda _, o: {
                    "STS": {"2": 1, "3": 2, "4": 1, "8": 2}[o["words"]], "LDS": int(o["words"])}),
                ("x-store-pairs", Mechanism.SMEM, ("4",), tile, {"STS": 2, "LDS": 4}),
                ("x-half-stmatrix", Mechanism.HYBRID, ("8",), half_tile, {"SHFL": 4, "STSM": 1, "LDS": 1}),
                ("x-quarter", Mechanism.HYBRID, ("32",), lambda at: at.block * 96, {"SHFL": 7, "STSM": 6, "LDS": 6}),
                ("x-quarter-3", Mechanism.HYBRID, ("32",), lambda at: at.block * 96, {"SHFL": 7, "STSM": 6, "LDS": 6}),
                ("x-rows-mixed", Mechanism.SMEM, ("32",), tile, {"STS": 16, "STSM": 4, "LDS": 8}),
                ("x-stmatrix-registers", Mechanism.SMEM, ("32",), tile, {"STSM": 8, "LDS": 8}),
            )
        ),
    ),
)


def reference(values: NDArray[np.generic], iterations: int, words: str) -> NDArray[np.generic]:
    """Transpose each warp's tile, 32 rows of `words`, `iterations` times."""
    tiles = values.reshape(-1, WARP, int(words))
    for _ in range(iterations):
        tiles = tiles.swapaxes(1, 2).reshape(tiles.shape)
    return tiles.reshape(-1)

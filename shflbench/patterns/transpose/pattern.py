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

WORDS = ("8", "2", "3", "4", "16", "32")
POWERS_OF_TWO = ("8", "2", "4", "16", "32")
WIDEST_LOAD = 4  # words


def elements(at: Setting) -> int:
    """Return the number of elements of the whole buffer: each lane holds `words`."""
    return at.threads * at.whole("words")


def tile(at: Setting) -> int:
    """Return the shared memory of a block whose tiles are not padded."""
    return at.block * at.whole("words") * at.dtype.size


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


def wide_words_and_barriers(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the same counts if the compiler merges the loads of consecutive words, as far as they are aligned."""
    count = int(options["words"])
    width = next(width for width in (WIDEST_LOAD, 2, 1) if count % width == 0)
    return {**words_and_barriers(dtype, options), "LDS": count // width}


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
        "Word i of lane l becomes word `words * l + i` of the tile, as in loading an array of structures. Repeated on "
        "its own output this multiplies a word's index by `words` modulo `32 * words - 1`: the input returns after 6, "
        "36, 7, 8, 9 and 2 iterations for 2, 3, 4, 8, 16 and 32 words. None of these numbers divides 5 or 15, so with "
        "5 iterations per pass of the loop a lost pass changes the result, and no further arithmetic is needed. The "
        "compiler merges the loads of consecutive words in `smem` (up to 128 bits) as far as they are aligned."
    ),
    dtypes=("f32",),
    options={"words": WORDS},
    unroll=5,
    buffers=(Input("values", elements=elements), Output("result", elements=elements)),
    claims={"G19": "transposing by shuffles is faster than through shared memory"},
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="shared memory without padding, a block barrier after the writes and after the reads",
            shared=tile,
            per_iteration=wide_words_and_barriers,
        ),
        Variant(
            name="smem-padded",
            mechanism=Mechanism.SMEM,
            summary="one unused word after each 32, which avoids bank conflicts",
            shared=padded_tile,
            only={"words": POWERS_OF_TWO},
            per_iteration=words_and_barriers,
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="padded shared memory, a warp barrier after the writes and after the reads",
            shared=padded_tile,
            per_iteration=words,
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="padded volatile shared memory, no barrier: relies on lockstep execution",
            shared=padded_tile,
            per_iteration=words,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one shuffle per word between conditional moves in registers (the method of trove)",
            per_iteration=shuffles,
        ),
        Variant(
            name="shfl-xor",
            mechanism=Mechanism.SHFL,
            summary="pairs of words exchanged by xor shuffles, bit by bit",
            only={"words": POWERS_OF_TWO},
            per_iteration=shuffles_of_pairs,
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="cub::WarpExchange through shared memory",
            source="cub.cu",
            shared=cub_tile,
        ),
        Variant(
            name="cub-shfl",
            mechanism=Mechanism.LIBRARY,
            summary="cub::WarpExchange by shuffles, which it has for 32 words",
            source="cub.cu",
            only={"words": ("32",)},
        ),
    ),
)


def reference(values: NDArray[np.generic], iterations: int, words: str) -> NDArray[np.generic]:
    """Transpose each warp's tile, 32 rows of `words`, `iterations` times."""
    tiles = values.reshape(-1, WARP, int(words))
    for _ in range(iterations):
        tiles = tiles.swapaxes(1, 2).reshape(tiles.shape)
    return tiles.reshape(-1)

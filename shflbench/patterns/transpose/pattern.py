"""Each warp transposes a tile: what a coalesced load left striped over the lanes becomes consecutive words a lane."""

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
    """Return the elements of the whole buffer: each lane holds `words`."""
    return at.threads * at.whole("words")


def tile(at: Setting) -> int:
    """Return the shared memory of a block whose warps keep their tiles as they are."""
    return at.block * at.whole("words") * at.dtype.size


def padded_tile(at: Setting) -> int:
    """Return the shared memory of a block with one unused word after each 32."""
    return at.block // WARP * (WARP + 1) * at.whole("words") * at.dtype.size


def cub_tile(at: Setting) -> int:
    """Return enough shared memory for CUB, which adds one word to a warp's tile, and as many as ours for some sizes."""
    return padded_tile(at) + at.block // WARP * at.dtype.size


def words(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return what a trip takes that goes through shared memory word by word."""
    count = int(options["words"])
    return {"STS": count, "LDS": count}


def words_and_barriers(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the same with two block barriers."""
    return {**words(dtype, options), "BAR": 2}


def wide_words_and_barriers(dtype: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return the same where the compiler reads a lane's consecutive words together, as far as they are aligned."""
    count = int(options["words"])
    width = next(width for width in (WIDEST_LOAD, 2, 1) if count % width == 0)
    return {**words_and_barriers(dtype, options), "LDS": count // width}


def shuffles(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return one shuffle a word."""
    return {"SHFL": int(options["words"])}


def shuffles_of_pairs(_: Dtype, options: Mapping[str, str]) -> dict[str, int]:
    """Return one shuffle a pair of words and bit of the register's number, and one a word to sort the lanes before."""
    count = int(options["words"])
    bits = count.bit_length() - 1
    return {"SHFL": bits * count // 2 + (count if count < WARP else 0)}


PATTERN = Pattern(
    summary="Each warp transposes its tile of 32 x `words` words, so that every lane gets consecutive ones.",
    source="GTC 2013, Shuffle: Tips and Tricks, transpose",
    notes=(
        "Word i of lane l becomes word `words * l + i` of the tile, the direction of loading an array of structures. "
        "Repeated on its own output this is multiplication by `words` modulo `32 * words - 1`: it comes back to where "
        "it began after 6, 36, 7, 8, 9 and 2 trips for 2, 3, 4, 8, 16 and 32 words. None of them divides 5 or 15, so "
        "with 5 trips a pass no lost pass stays hidden, and the trips need no arithmetic of their own. "
        "The compiler reads consecutive words of `smem` together (up to 128 bits) where they are aligned."
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
            summary="shared memory as the tile lies, a block barrier after the writes and after the reads",
            shared=tile,
            per_iteration=wide_words_and_barriers,
        ),
        Variant(
            name="smem-padded",
            mechanism=Mechanism.SMEM,
            summary="one unused word after each 32, against conflicts of the banks",
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
            summary="padded volatile shared memory, no barrier: trusts in lock step",
            shared=padded_tile,
            per_iteration=words,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="one shuffle a word between conditional moves in registers (the idea of trove)",
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
    """Transpose each warp's tile, read as 32 rows of `words`, as often as `iterations` says."""
    tiles = values.reshape(-1, WARP, int(words))
    for _ in range(iterations):
        tiles = tiles.swapaxes(1, 2).reshape(tiles.shape)
    return tiles.reshape(-1)

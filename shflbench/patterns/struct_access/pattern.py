"""Each thread loads or stores one struct of 32-bit words; the structs lie one after the other in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import WARP, Mechanism
from shflbench.patterns.data import distinct
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = ("4", "1", "2", "3", "6", "8", "12", "16")
TRANSPOSED = WORDS[:1] + WORDS[2:]  # a struct of one word needs no exchange


def elements(at: Setting) -> int:
    """Return the number of words of all structs."""
    return at.threads * at.whole("words")


def padded_tile(at: Setting) -> int:
    """Return the shared memory of a block, with one unused word after each 32 words of a warp."""
    return at.block // WARP * (WARP + 1) * at.whole("words") * at.dtype.size


PATTERN = Pattern(
    summary="Each thread loads or stores one struct of `words` 32-bit words.",
    source="GTC 2013, Shuffle: Tips and Tricks, array of structures access via transpose",
    notes=(
        "`way=load` reads structs and writes planes (word i of all structs side by side), `way=store` reads planes and "
        "writes structs; both move 8 bytes per word and thread, so that only the access to the structs differs. `soa` "
        "copies data that is already in planes, and is the bound. A word is any 32 bits: integers have the same "
        "machine code."
    ),
    dtypes=("f32",),
    options={"words": WORDS, "way": ("load", "store")},
    one_pass=True,
    buffers=(
        Input("structs", elements=elements),
        Input("planes", elements=elements),
        Output("result", elements=elements),
    ),
    bytes_moved=lambda at: 2 * elements(at) * at.dtype.size,
    claims={
        "G20": "transposing makes the loads and stores of an array of structures fully coalesced",
        "G21": "access by transposing is faster than direct access by a factor of up to 6",
        "N05": "reading structs of four words field by field uses 25% of the lines, reading planes 100%",
    },
    variants=(
        Variant(
            name="direct",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="word by word; adjacent lanes are one struct apart",
        ),
        Variant(
            name="vector",
            mechanism=Mechanism.GLOBAL,
            summary="four words per access, or two, as far as the structs are aligned",
            only={"words": ("4", "2", "6", "8", "12", "16")},
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            summary="coalesced access, the lanes exchange words through padded shared memory",
            only={"words": TRANSPOSED},
            shared=padded_tile,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="coalesced access, the lanes exchange words by one shuffle each (the method of trove)",
            only={"words": TRANSPOSED},
        ),
        Variant(
            name="soa",
            mechanism=Mechanism.GLOBAL,
            summary="a copy of planes to planes: the bound",
        ),
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    """Return the same structs twice: one after the other, and in planes."""
    structs = distinct(rng, at.dtype, elements(at))
    return structs, in_planes(structs, at.whole("words"))


def reference(structs: NDArray[np.generic], planes: NDArray[np.generic], words: str, way: str) -> NDArray[np.generic]:
    """Return the structs in planes, or the planes as structs."""
    if way == "load":
        return in_planes(structs, int(words))
    return np.ascontiguousarray(planes.reshape(int(words), -1).T).reshape(-1)


def in_planes(structs: NDArray[np.generic], words: int) -> NDArray[np.generic]:
    """Return word i of all structs side by side, for each i."""
    return np.ascontiguousarray(structs.reshape(-1, words).T).reshape(-1)

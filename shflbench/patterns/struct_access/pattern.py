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
        "`way=load` reads an array of structures and writes a structure of arrays, in which plane `i` contains word "
        "`i` of all structs; `way=store` does the reverse. Both move 8 bytes per word and thread, so that only the "
        "access to the structs differs. `soa` copies between structures of arrays and shows the upper bound of the "
        "bandwidth. The only element type is `f32`, because the machine code for other 32-bit types is the same."
    ),
    dtypes=("f32",),
    options={"words": WORDS, "way": ("load", "store")},
    launch_bounds=True,
    one_pass=True,
    representative={"launch": "16384x256", "words": "16", "way": "store"},
    also_called=("aos", "array of structures", "structures"),
    buffers=(
        Input("structs", elements=elements),
        Input("planes", elements=elements),
        Output("result", elements=elements),
    ),
    bytes_moved=lambda at: 2 * elements(at) * at.dtype.size,
    variants=(
        Variant(
            name="direct",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="one access per word; adjacent lanes access adjacent structs",
        ),
        Variant(
            name="vector",
            mechanism=Mechanism.GLOBAL,
            summary="two or four words per access, depending on the alignment of the structs",
            only={"words": ("4", "2", "6", "8", "12", "16")},
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            summary="coalesced access; the lanes exchange words through padded shared memory",
            only={"words": TRANSPOSED},
            shared=padded_tile,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "coalesced access; the lanes exchange words by one shuffle per word, as in the library trove "
                "(Catanzaro et al., PPoPP 2014)"
            ),
            only={"words": TRANSPOSED},
        ),
        Variant(
            name="soa",
            mechanism=Mechanism.GLOBAL,
            summary="copy from a structure of arrays to a structure of arrays: upper bound",
            other_layout=True,
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

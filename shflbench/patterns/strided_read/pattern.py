"""Each thread reads one element, at a fixed distance from the element of its neighbor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STAGED = ("2", "4", "8")  # strides at which a warp can read everything in between


def elements(at: Setting) -> int:
    """Return the number of elements up to the end of the last stride."""
    stride = at.whole("stride")
    return (at.threads * stride if stride else at.grid) + at.whole("offset")


PATTERN = Pattern(
    summary="Each thread reads one element; adjacent threads read elements that are `stride` apart.",
    source="NTNU, Shuffle Shenanigans, memory coalescing",
    notes=(
        "With `stride=0`, all threads of a block read the same element. With `offset=1`, all reads are shifted by one "
        "element, which misaligns them. The element types range from 1 byte (`i8`) to 16 bytes (`f32x4`). The reported "
        "bandwidth counts useful bytes only: one element read and one element stored per thread. The stores are always "
        "coalesced."
    ),
    dtypes=("i32", "i8", "i16", "f64", "f32x4"),
    options={"stride": ("2", "1", "4", "8", "16", "32", "0"), "offset": ("0", "1")},
    launch_bounds=True,
    one_pass=True,
    representative={"launch": "16384x256"},
    also_called=("coalescing", "stride"),
    buffers=(Input("values", elements=elements), Output("result")),
    bytes_moved=lambda at: 2 * at.threads * at.dtype.size,
    variants=(
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="each thread reads its element directly",
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            summary=(
                "the warp reads its whole range with coalesced loads; each lane takes its element from shared memory"
            ),
            only={"stride": STAGED},
            shared=lambda at: at.block * at.whole("stride") * at.dtype.size,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="the warp reads its whole range with coalesced loads; each lane takes its element by shuffles",
            only={"stride": STAGED},
        ),
    ),
)


def reference(values: NDArray[np.generic], stride: str, offset: str, at: Setting) -> NDArray[np.generic]:
    """Take every `stride`-th element from `offset` on, or one element per block for all its threads."""
    wanted = values[int(offset) :]
    return wanted[:: int(stride)] if int(stride) else wanted.repeat(at.block, axis=0)

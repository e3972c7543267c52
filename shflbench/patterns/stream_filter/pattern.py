"""Each warp keeps those elements of its part of a stream that satisfy a condition."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

STEPS = 4  # elements per thread, as in strip.cuh


def _bytes(at: Setting) -> int:
    """Return the bytes of the elements read, the elements kept, and one count per warp."""
    elements = at.threads * STEPS
    return round(elements * at.dtype.size * (1 + float(at.options["keep"]))) + 4 * at.warps


PATTERN = Pattern(
    summary=(
        "Each warp moves those of its 128 elements that are less than `keep` to the front and counts them (stream "
        "compaction)."
    ),
    source="NTNU, Shuffle Shenanigans, stream filtering",
    representative={"launch": "16384x256"},
    also_called=("filter", "compact", "compaction", "select"),
    buffers=(
        Input("values", per_thread=STEPS),
        Output("kept", per_thread=STEPS, initial=0, unordered=True),
        Output("counts", elements=lambda at: at.warps, dtype="i32"),
    ),
    dtypes=("f32", "f64"),
    options={"order": ("ordered", "unordered"), "keep": ("0.5", "0.1", "0.9")},
    launch_bounds=True,
    one_pass=True,
    bytes_moved=_bytes,
    variants=(
        Variant(
            name="smem-scan",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="positions computed by a scan through shared memory; two `__syncwarp()` per step",
            shared=lambda at: 4 * at.block,
        ),
        Variant(
            name="shfl-scan",
            mechanism=Mechanism.SHFL,
            summary="positions computed by a scan with five shuffles; one more shuffle broadcasts the total",
        ),
        Variant(
            name="ballot-scatter",
            mechanism=Mechanism.COLLECTIVE,
            summary="positions computed by `__ballot_sync` and `__popc` of the bits of the lower lanes",
        ),
        Variant(
            name="ballot-fns",
            mechanism=Mechanism.SHFL,
            summary="`__ballot_sync`; `__fns` returns the source lane; a shuffle compacts the values",
        ),
        Variant(
            name="atomic",
            mechanism=Mechanism.ATOMIC,
            summary="positions returned by one `atomicAdd` in global memory per kept element",
            only={"order": ("unordered",)},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="positions computed by `cub::WarpScan`",
            source="cub.cu",
        ),
    ),
    notes=(
        "Three errors of the published kernel are corrected here: `__fns` counts from 1, so that lane `n` must pass `n "
        "+ 1`; lanes without a source element must skip the store, but not the shuffle with the full mask; and every "
        "lane needs the count, which the published kernel updates in lane 0 only. Verification compares `kept` as "
        "multisets: with `order=unordered`, one multiset per warp, because `atomic` does not preserve the order; with "
        "`order=ordered`, one multiset per element, so that the order is verified as well."
    ),
)


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw from 0 to 1; the first warp's first step keeps all of its elements, the second none."""
    keep = float(at.options["keep"])
    values = rng.random((at.warps, STEPS, WARP)) * 0.99  # f32 rounds nothing up to 1
    values[0, 0] *= keep
    values[0, 1] = keep + values[0, 1] * (1 - keep)
    return values.reshape(at.warps, -1).astype(at.dtype.numpy)


def reference(values: NDArray[np.floating], order: str, keep: str) -> tuple[NDArray[np.floating], NDArray[np.int32]]:
    """Return each warp's kept elements, followed by zeros, and their counts.

    The elements of a row of the first array are compared in any order: a row holds those of a warp, or one element
    with order=ordered.
    """
    is_kept = values < values.dtype.type(keep)
    front = np.argsort(~is_kept, axis=1, kind="stable")
    kept = np.take_along_axis(np.where(is_kept, values, 0), front, axis=1).astype(values.dtype)
    return kept if order == "unordered" else kept.reshape(-1, 1), is_kept.sum(axis=1, dtype=np.int32)

"""All lanes get the sum of the values up to their own, or of the lower lanes only."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, PerWord, Setting, Variant, elements_per_thread
from shflbench.patterns.scan.family import FAMILY

STEPS = 5  # exchanges of a scan over 32 lanes


def exchanges(dtype: Dtype, options: Mapping[str, str]) -> int:
    """Return the exchanges per iteration: an exclusive scan of floats moves its sums up by one lane at the end."""
    return STEPS + (dtype.floating and options["kind"] == "exclusive")


PATTERN = Pattern(
    summary="Each lane gets the prefix sum of its warp's values, including or excluding its own value.",
    source="GTC 2013, Shuffle: Tips and Tricks, scan",
    representative={"launch": "26x1024"},
    also_called=("prefix sum", "warp scan", "cumsum", "cumulative sum"),
    buffers=(Input("values"), Output("result")),
    options={"kind": ("inclusive", "exclusive")},
    launch_bounds=True,
    family=FAMILY,
    unroll=4,
    notes=(
        "The shuffles on the slides have neither `.sync` nor a mask; no GPU since Volta supports this form. For "
        "integers, the exclusive sum is the inclusive sum minus the value of the lane. For floating-point types, this "
        "subtraction would round; their exclusive sum takes a sixth exchange, which shifts the inclusive sums by one "
        "lane. CUB uses the same methods."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="shared memory; two `__syncthreads()` per step",
            shared=elements_per_thread(1),
            per_iteration=lambda dtype, options: {
                "STS": exchanges(dtype, options),
                "LDS": exchanges(dtype, options),
                "BAR": 2 * exchanges(dtype, options),
            },
        ),
        Variant(
            name="smem-double",
            mechanism=Mechanism.SMEM,
            summary="double-buffered shared memory; one `__syncthreads()` per step",
            shared=elements_per_thread(2),
            per_iteration=lambda dtype, options: dict.fromkeys(("STS", "LDS", "BAR"), exchanges(dtype, options)),
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="shared memory; two `__syncwarp()` per step",
            shared=elements_per_thread(1),
            per_iteration=lambda dtype, options: dict.fromkeys(("STS", "LDS"), exchanges(dtype, options)),
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary="`volatile` shared memory without barriers; relies on lockstep execution of the warp",
            shared=elements_per_thread(1),
            per_iteration=lambda dtype, options: dict.fromkeys(("STS", "LDS"), exchanges(dtype, options)),
        ),
        Variant(
            name="smem-wide",
            mechanism=Mechanism.SMEM,
            summary="each lane loads all values, 16 bytes at a time, and adds those of lower lanes; one `__syncwarp()`",
            shared=elements_per_thread(4),
            per_iteration={"STS": 1, "LDS": PerWord(WARP // 4)},
        ),
        Variant(
            name="smem8-shfl",
            mechanism=Mechanism.HYBRID,
            summary=(
                "each lane loads the values of its group of 8 lanes, 16 bytes at a time; `__shfl_up_sync` exchanges "
                "the sums of the groups; one `__syncwarp()`"
            ),
            shared=elements_per_thread(2),
            opcodes=("STS", "LDS", "SHFL.UP"),
            per_iteration={"STS": 1, "LDS": PerWord(2), "SHFL": PerWord(3)},
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="`__shfl_up_sync`; a lane adds the received value if its lane index is large enough",
            per_iteration=lambda dtype, options: {"SHFL": exchanges(dtype, options) * dtype.words},
        ),
        Variant(
            name="shfl-predicate",
            mechanism=Mechanism.SHFL,
            summary=(
                "PTX `shfl.sync.up`; a lane adds the received value if the predicate that the shuffle returns is true"
            ),
            per_iteration=lambda dtype, options: {"SHFL": exchanges(dtype, options) * dtype.words},
        ),
        Variant(
            name="smem16-redux",
            mechanism=Mechanism.HYBRID,
            summary=(
                "each lane loads four groups of 4 values within its half of the warp, 16 bytes at a time; "
                "`__reduce_add_sync` sums the lower half for the upper one; one `__syncwarp()`"
            ),
            dtypes=("i32",),
            needs="sm_80",
            source="redux.cu",
            shared=elements_per_thread(4),
            opcodes=("STS", "LDS", "REDUX.SUM"),
            per_iteration={"STS": 1, "LDS": 4, "REDUX": 1},
        ),
        Variant(
            name="redux-shfl",
            mechanism=Mechanism.COLLECTIVE,
            summary=(
                "`__shfl_up_sync` within each half of the warp; `__reduce_add_sync` sums the lower half for the upper "
                "one; additions with a predicate in PTX"
            ),
            dtypes=("i32",),
            needs="sm_80",
            source="redux.cu",
            opcodes=("SHFL.UP", "REDUX.SUM"),
            per_iteration={"SHFL": STEPS - 1, "REDUX": 1},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpScan`",
            source="cub.cu",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="`cooperative_groups::inclusive_scan` and `cooperative_groups::exclusive_scan`",
            source="cg.cu",
        ),
    ),
)

# Values stay below this power of two: the sum of 31 of them and five times one of them is exact in the type.
BITS = {"float32": 17, "float64": 46}


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers of all bits that the recurrence keeps, distinct within a warp; shape [warps, 32]."""
    bits = BITS.get(at.dtype.numpy, 8 * at.dtype.size - 1)
    share = 2**bits // WARP * 2  # each lane draws from another part of the range
    parts = rng.permuted(np.tile(np.arange(WARP) - WARP // 2, (at.warps, 1)), axis=1)
    numbers: NDArray[np.generic] = (parts * share + rng.integers(share, size=parts.shape)).astype(at.dtype.numpy)
    return numbers


def reference(values: NDArray[np.generic], iterations: int, kind: str) -> NDArray[np.generic]:
    """Repeat `scan ^ m·x` in wrapping integers, `scan + m·x` within ±2^BITS in floats; shape [warps, 32].

    m is 2 in an inclusive scan, 5 in an exclusive one.
    """
    whole = np.issubdtype(values.dtype, np.integer)
    x = values.view(f"u{values.dtype.itemsize}") if whole else values.astype(np.float64)
    factor = x.dtype.type(5 if kind == "exclusive" else 2)
    for _ in range(iterations):
        scan = np.cumsum(x, axis=1, dtype=x.dtype)
        if kind == "exclusive":
            scan -= x
        x = scan ^ factor * x if whole else wrap(scan + factor * x, 2.0 ** (BITS[values.dtype.name] + 1))
    return x.view(values.dtype) if whole else x.astype(values.dtype)


def wrap(numbers: NDArray[np.float64], modulus: float) -> NDArray[np.float64]:
    """Subtract from each number the nearest multiple of `modulus`, the even one for a tie."""
    return numbers - modulus * np.rint(numbers / modulus)

"""All lanes of a group get the sum of the group's values."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant, elements_per_thread
from shflbench.patterns.reduce.family import FAMILY

HALF = 2  # bytes of a 16-bit number
DTYPES = ("f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "i32", "i64", "f32x2", "f32x4")
WORDS = ("f16x2", "bf16x2", "f32", "i32")  # of 32 bits: a load of 16 bytes has the values of four lanes
NOT_PAIRS = tuple(name for name in DTYPES if name not in {"f16x2", "bf16x2"})  # CUDA has no volatile ones
WIDTHS = ("32", "16", "8", "4", "2")
WARP_ONLY, PARTS_ONLY = {"width": WIDTHS[:1]}, {"width": WIDTHS[1:]}


def exchanges(options: Mapping[str, str]) -> int:
    """Return how many exchanges a butterfly over one group takes: 5 over 32 lanes."""
    return int(options["width"]).bit_length() - 1


def through_shared_memory(barriers: int) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int] | None]:
    """Return the counts per iteration if each exchange is a store, a load and `barriers` block barriers."""

    def counts(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int] | None:
        if (dtype.name, options["width"]) == ("f32x4", "8"):
            return None  # for sm_75, NVRTC 13 splits one of the twelve 128-bit loads of a pass
        steps = exchanges(options)
        return {"STS": steps, "LDS": steps, "BAR": barriers * steps}

    return counts


PATTERN = Pattern(
    summary="All lanes get the sum of the values of their warp, or of their group of `width` lanes.",
    source="GTC 2013, Shuffle: Tips and Tricks, reduce",
    dtypes=DTYPES,
    options={"width": WIDTHS},
    representative={"launch": "26x1024"},
    also_called=("sum", "warp sum", "warp reduce", "all-reduce", "butterfly"),
    buffers=(Input("values"), Output("result")),
    launch_bounds=True,
    family=FAMILY,
    unroll=4,
    notes=(
        "The function `warpReductionSum` on the NTNU slides starts with `sum = __shfl_xor_sync(..., threadValue, 16)` "
        "without `threadValue +`: lanes 0 to 15 get the sum of lanes 16 to 31, and vice versa. It also passes "
        "`__activemask()` as the mask, which contains only the lanes that happen to be active. Both errors are "
        "corrected here. According to the GTC 2013 slides, lane 0 holds the sum; after a butterfly, all lanes hold it. "
        "CUB returns the sum in the first lane of a group only; a shuffle broadcasts it. From sm_80 on, CUB and "
        "cooperative groups compute integer sums with `REDUX` instructions. For groups smaller than a warp, both "
        "libraries use a separate mask for each group, which is not known at compile time; their loops therefore "
        "contain `MATCH`, `VOTE` and `REDUX` instructions that handle these masks, and in their machine code for sm_75 "
        "no loop can be identified. The butterflies need no such masks: all lanes participate, and xor distances less "
        "than `width` stay within a group. In `redux-mask`, the lanes of a warp have different masks: the compiler "
        "branches to code in which the groups execute `REDUX` one after another (`WARPSYNC.COLLECTIVE`). "
        "`redux-padded` executes as many, of the whole warp, without a branch. Values of 16 bits are small "
        "integers, which each iteration takes modulo 8, because their sums must be exact in any order."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="butterfly through shared memory; two `__syncthreads()` per step",
            shared=elements_per_thread(1),
            per_iteration=through_shared_memory(barriers=2),
        ),
        Variant(
            name="smem-double",
            mechanism=Mechanism.SMEM,
            summary="butterfly through double-buffered shared memory; one `__syncthreads()` per step",
            shared=elements_per_thread(2),
            per_iteration=through_shared_memory(barriers=1),
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="butterfly through shared memory; two `__syncwarp()` per step",
            shared=elements_per_thread(1),
            per_iteration=through_shared_memory(barriers=0),
        ),
        Variant(
            name="smem-wide",
            mechanism=Mechanism.SMEM,
            dtypes=WORDS,
            only={"width": WIDTHS[:4]},
            summary="one store; each lane adds all values of its group, 16 bytes per load; two `__syncwarp()`",
            shared=elements_per_thread(1),
            per_iteration=lambda _, options: {"STS": 1, "LDS": int(options["width"]) // 4},
        ),
        Variant(
            name="smem-wide-double",
            mechanism=Mechanism.SMEM,
            dtypes=WORDS,
            only={"width": WIDTHS[:4]},
            summary=(
                "as `smem-wide`, with double-buffered shared memory and one `__syncwarp()`; each lane adds what it "
                "loads in the order of the loads"
            ),
            shared=elements_per_thread(2),
            per_iteration=lambda _, options: {"STS": 1, "LDS": int(options["width"]) // 4},
        ),
        Variant(
            name="smem4-shfl",
            mechanism=Mechanism.HYBRID,
            dtypes=WORDS,
            only={"width": WIDTHS[:3]},
            summary="one store; each lane adds the values of 4 lanes, 16 bytes per load; shuffles for the rest",
            shared=elements_per_thread(1),
            per_iteration=lambda _, options: {"STS": 1, "LDS": 1, "SHFL": {"32": 3, "16": 3, "8": 1}[options["width"]]},
            opcodes=("STS", "LDS", "SHFL.BFLY"),
        ),
        Variant(
            name="smem8-shfl",
            mechanism=Mechanism.HYBRID,
            dtypes=WORDS,
            only={"width": WIDTHS[:2]},
            summary="one store; each lane adds the values of 8 lanes, 16 bytes per load; shuffles for the rest",
            shared=elements_per_thread(1),
            per_iteration=lambda _, options: {"STS": 1, "LDS": 2, "SHFL": {"32": 3, "16": 1}[options["width"]]},
            opcodes=("STS", "LDS", "SHFL.BFLY"),
        ),
        Variant(
            name="smem8-shfl-double",
            mechanism=Mechanism.HYBRID,
            dtypes=WORDS,
            only={"width": WIDTHS[:2]},
            summary=(
                "as `smem8-shfl`, with double-buffered shared memory and one `__syncwarp()`; the last 4 values in two "
                "8-byte loads"
            ),
            shared=elements_per_thread(2),
            per_iteration=lambda _, options: {"STS": 1, "LDS": 3, "SHFL": {"32": 3, "16": 1}[options["width"]]},
            opcodes=("STS", "LDS", "SHFL.BFLY"),
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            dtypes=NOT_PAIRS,
            summary=(
                "butterfly through `volatile` shared memory without barriers; relies on lockstep execution of the warp"
            ),
            shared=elements_per_thread(1),
            per_iteration=through_shared_memory(barriers=0),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="butterfly with `__shfl_xor_sync`",
            per_iteration=lambda dtype, options: {"SHFL": exchanges(options) * dtype.words},
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="`__reduce_add_sync`",
            dtypes=("i32",),
            only=WARP_ONLY,  # the instruction reduces groups with masks of their own one after another
            needs="sm_80",
            source="redux.cu",
            per_iteration={"REDUX": 1},
        ),
        Variant(
            name="redux-mask",
            mechanism=Mechanism.COLLECTIVE,
            summary="`__reduce_add_sync` with a mask of its own for each group; the groups of a warp take turns",
            dtypes=("i32",),
            only=PARTS_ONLY,
            needs="sm_80",
            source="redux.cu",
            per_iteration=None,  # one REDUX, and one more per pass, which compares the masks of the lanes
            opcodes=("REDUX.SUM",),
        ),
        Variant(
            name="redux-padded",
            mechanism=Mechanism.COLLECTIVE,
            summary="`__reduce_add_sync` of all lanes for each group, in which the lanes of other groups add zero",
            dtypes=("i32",),
            only=PARTS_ONLY,
            needs="sm_80",
            source="redux.cu",
            per_iteration=lambda _, options: {"REDUX": WARP // int(options["width"])},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpReduce`; a shuffle broadcasts the sum from lane 0",
            only=WARP_ONLY,
            source="cub.cu",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="`cooperative_groups::reduce`",
            dtypes=tuple(name for name in DTYPES if name != "bf16x2"),  # its header does not compile for this type
            only=WARP_ONLY,
            source="cg.cu",
        ),
        Variant(
            name="cub-group",
            mechanism=Mechanism.LIBRARY,
            summary=(
                "`cub::WarpReduce` over groups of `width` lanes; a shuffle broadcasts each sum from the first lane of "
                "its group"
            ),
            dtypes=("f32", "i32"),
            only=PARTS_ONLY,
            needs="sm_80",
            source="cub.cu",
            kernel="reduce_cub<{T}>",
        ),
        Variant(
            name="cg-group",
            mechanism=Mechanism.LIBRARY,
            summary="`cooperative_groups::reduce` over tiles of `width` lanes",
            dtypes=("f32", "i32"),
            only=PARTS_ONLY,
            needs="sm_80",
            source="cg.cu",
            kernel="reduce_cg<{T}>",
        ),
    ),
)

LARGEST_INPUT = 24


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw small whole numbers; those of 32 and 64 bits are distinct within a warp; shape [warps, 32, components]."""
    if at.dtype.size // at.dtype.components == HALF:
        return rng.integers(-3, 5, size=(at.warps, WARP, at.dtype.components)).astype(at.dtype.numpy)
    pool = np.arange(-LARGEST_INPUT, LARGEST_INPUT)
    drawn = rng.permuted(np.tile(pool, (at.warps, at.dtype.components, 1)), axis=2)[..., :WARP]
    return drawn.swapaxes(1, 2).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int, width: str) -> NDArray[np.generic]:
    """Repeat the recurrence of recurrence.cuh: exact for 16 bits, wrapping for integers, else in double precision.

    Shape [warps, 32], or [warps, 32, components] for a vector type.
    """
    lanes = int(width)
    groups = values.reshape(-1, lanes, *values.shape[2:])
    if np.issubdtype(values.dtype, np.integer):
        return _wrapping(groups, iterations).reshape(values.shape)
    x = groups.astype(np.float64)
    column = np.arange(lanes).reshape(-1, *[1] * (groups.ndim - 2))
    for _ in range(iterations):
        total = x.sum(axis=1, keepdims=True)
        if values.dtype.itemsize == HALF:
            x = x + total + (column == 0)
            x -= 8 * np.rint(x / 8)
        else:
            x = x / 2 + (2 * column - (lanes - 1)) / lanes + total / (2 * lanes)
    return x.astype(values.dtype).reshape(values.shape)


def _wrapping(groups: NDArray[np.generic], iterations: int) -> NDArray[np.generic]:
    whole = groups.view(f"u{groups.dtype.itemsize}").copy()
    for _ in range(iterations):
        whole += whole.sum(axis=1, keepdims=True, dtype=whole.dtype)
    return whole.view(groups.dtype)


def tolerance(at: Setting, iterations: int) -> float:
    """Return the largest rounding error of one element; 0 where the arithmetic is exact.

    In the sum of a warp, an iteration adds one binary digit below the point (six at first); sums stay below 2^10. So
    the sums of f32 (24 digits) are exact for 8 iterations, those of f64 (53 digits) for 37. After those, the rounding
    errors of an iteration change a lane by at most 32·eps. Values are below 10.5: their two additions err by 4·eps
    each, and a sum of 32, divided by 64, by 12·eps at most if it grows by four values at a time; a tree errs by less.
    With 16 lanes, values are below 18.5: 8·eps each, and 16·eps. An iteration in which one lane missed one input
    changes every lane by 1/2048. Smaller groups have smaller sums and fewer digits.
    """
    if at.dtype.size // at.dtype.components == HALF or not at.dtype.floating:
        return 0.0
    exact_iterations, eps = {"float32": (8, 2.0**-23), "float64": (37, 2.0**-52)}[at.dtype.numpy]
    return 0.0 if iterations <= exact_iterations else 32 * eps * iterations

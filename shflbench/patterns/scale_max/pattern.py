"""All lanes that have the values of a group get the largest magnitude among them, from which a block scale follows."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant
from shflbench.patterns.scale_max.family import FAMILY
from shflbench.patterns.scale_max.lanes import WORD, lanes_of

ONE_WORD = {"words": ("1",)}  # more words leave groups of few lanes, for which a butterfly has one to three steps
MOST_LOADED = 8  # lanes whose values `smem-shfl` loads, at most
WIDE = 4  # words of a load


def words_of_lanes(at: Setting) -> int:
    """Return the number of words of all lanes."""
    return at.threads * at.whole("words")


def slots(count: int) -> Callable[[Setting], int]:
    """Return the shared memory of a kernel that keeps `count` words per thread, in bytes per block."""
    return lambda at: at.block * count * WORD


def steps(dtype: Dtype, options: Mapping[str, str]) -> int:
    """Return the exchanges of a butterfly over a group: 5 over 32 lanes."""
    return lanes_of(dtype, options).bit_length() - 1


def shuffles(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a butterfly by shuffles."""
    return {"SHFL": steps(dtype, options)}


def wide_loads(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a lane that loads what all lanes of its group have stored."""
    return {"STS": 1, "LDS": max(1, lanes_of(dtype, options) // WIDE)}


def part_loaded(dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a lane that loads half of its group, or a quarter of a warp; a shuffle per other part."""
    lanes = lanes_of(dtype, options)
    part = min(MOST_LOADED, lanes // 2)
    return {"STS": 1, "LDS": part // WIDE, "SHFL": lanes // part - 1}


PATTERN = Pattern(
    summary=(
        "Of each group of 16 or 32 consecutive values, which adjacent lanes have, all of these lanes get the bits of "
        "the largest magnitude (the scale of a block in MXFP8 or NVFP4)."
    ),
    source=(
        "OCP Microscaling Formats (MX) Specification 1.0, 2023; NVIDIA Transformer Engine, quantize_mxfp8.cuh; vLLM, "
        "nvfp4_utils.cuh; SGLang, per_token_group_quant_8bit.cu"
    ),
    dtypes=("f32", "bf16"),
    options={"group": ("32", "16"), "words": ("1", "4")},
    buffers=(
        Input("states", elements=words_of_lanes, dtype="i32"),
        Output("result", elements=words_of_lanes, dtype="i32"),
    ),
    representative={"launch": "26x1024"},
    also_called=("block scale", "absolute maximum", "amax", "MXFP8", "NVFP4"),
    launch_bounds=True,
    family=FAMILY,
    unroll=4,
    notes=(
        "`group` is the number of values per scale: 32 in MXFP8, 16 in NVFP4. A lane has 1 or 4 words of 32 bits, each "
        "one f32 or two bf16. So a group has 32 to 4 lanes with f32, and 16 to 2 with bf16; vLLM has groups of 2 lanes "
        "(4 words of bf16). The words are also what an iteration changes: each is multiplied by an odd number, and the "
        "bits of the largest magnitude are added. The highest bit of each exponent is cleared, so that all values are "
        "finite. Where a value is NaN, maxima of floats ignore it, while as an integer it is larger than all numbers. "
        "From sm_86 on, one instruction takes the larger magnitude of two pairs of bf16 (`max.xorsign.abs.bf16x2`), as "
        "Transformer Engine does; here, the signs are removed once before. GPUs with the features of sm_100a have "
        "`redux.sync.max.abs.f32`, which no variant uses, because kernels are compiled for sm_100. `redux-mask` and "
        "`redux` are two ways to several maxima per warp: groups that take turns, and one instruction of all lanes "
        "per group."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="butterfly through shared memory; two `__syncwarp()` per step; maxima of integers",
            shared=slots(1),
            per_iteration=lambda dtype, options: {"STS": steps(dtype, options), "LDS": steps(dtype, options)},
        ),
        Variant(
            name="smem-wide",
            mechanism=Mechanism.SMEM,
            summary=(
                "one store; each lane loads the values of its group, up to 16 bytes per load; two `__syncwarp()`; "
                "maxima of integers"
            ),
            shared=slots(1),
            per_iteration=wide_loads,
        ),
        Variant(
            name="smem-wide-double",
            mechanism=Mechanism.SMEM,
            summary="as `smem-wide`, with double-buffered shared memory and one `__syncwarp()`",
            shared=slots(2),
            per_iteration=wide_loads,
        ),
        Variant(
            name="smem-shfl",
            mechanism=Mechanism.HYBRID,
            only=ONE_WORD,
            summary=(
                "as `smem-wide-double`, but a lane loads the values of half of its group, or of 8 of 32 lanes; for "
                "the rest, shuffles that do not wait for one another"
            ),
            shared=slots(2),
            per_iteration=part_loaded,
            opcodes=("STS", "LDS", "SHFL.BFLY"),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary="butterfly with `__shfl_xor_sync`; maxima of floats",
            per_iteration=shuffles,
        ),
        Variant(
            name="shfl-bits",
            mechanism=Mechanism.SHFL,
            summary="butterfly with `__shfl_xor_sync`; maxima of integers",
            per_iteration=shuffles,
        ),
        Variant(
            name="shfl-pairs",
            mechanism=Mechanism.SHFL,
            dtypes=("bf16",),
            summary="butterfly with `__shfl_xor_sync`; two maxima of bf16 per instruction, combined at the end",
            needs="sm_80",
            source="pairs.cu",
            per_iteration=shuffles,
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            only=ONE_WORD,
            summary="`__reduce_max_sync` of all lanes for each group, in which the lanes of other groups have zero",
            needs="sm_80",
            source="redux.cu",
            per_iteration=lambda dtype, options: {"REDUX": WARP // lanes_of(dtype, options)},
        ),
        Variant(
            name="redux-products",
            mechanism=Mechanism.COLLECTIVE,
            only=ONE_WORD,
            summary=(
                "as `redux`, but masks clear signs and lanes of other groups at once, and sums of products with 1 or 0 "
                "take the place of selections; a group of 32 lanes needs neither"
            ),
            needs="sm_80",
            source="redux.cu",
            per_iteration=lambda dtype, options: {"REDUX": WARP // lanes_of(dtype, options)},
        ),
        Variant(
            name="redux-mask",
            mechanism=Mechanism.COLLECTIVE,
            only={"group": ("16",), **ONE_WORD},  # 32 values of f32 are a whole warp
            summary="`__reduce_max_sync` with a mask of its own for each group; the groups of a warp take turns",
            needs="sm_80",
            source="redux.cu",
            per_iteration=None,  # one REDUX, and one more per pass, which compares the masks of the lanes
            opcodes=("REDUX",),  # the maximum itself is CREDUX on sm_100
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpReduce` of floats; a shuffle broadcasts the result from the first lane of a group",
            source="cub.cu",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="`cooperative_groups::reduce` of floats over tiles",
            source="cg.cu",
        ),
    ),
)

FACTOR = np.uint32(0x9E3779B1)  # odd: 2^32 divided by the golden ratio
# All bits but the highest of each exponent, and all bits of a number but its sign.
FINITE = {"f32": np.uint32(0xBFFFFFFF), "bf16": np.uint32(0xBFFFBFFF)}
MAGNITUDE: Mapping[str, np.unsignedinteger] = {"f32": np.uint32(0x7FFFFFFF), "bf16": np.uint16(0x7FFF)}


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.int32]:
    """Draw words of finite values; shape [warps, 32, words]."""
    drawn = rng.integers(2**32, size=(at.warps, WARP, at.whole("words")), dtype=np.uint32)
    return (drawn & FINITE[at.dtype.name]).view(np.int32)


def reference(states: NDArray[np.int32], iterations: int, at: Setting, *, group: str, words: str) -> NDArray[np.int32]:
    """Repeat values.cuh in wrapping integers; shape [warps, 32, words]."""
    rows = states.view(np.uint32).reshape(-1, int(words) * lanes_of(at.dtype, {"group": group, "words": words}))
    for _ in range(iterations):
        magnitudes = rows.view(MAGNITUDE[at.dtype.name].dtype) & MAGNITUDE[at.dtype.name]
        rows = rows * FACTOR + magnitudes.max(axis=1, keepdims=True).astype(np.uint32) & FINITE[at.dtype.name]
    return rows.view(np.int32).reshape(states.shape)

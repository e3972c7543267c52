"""Many sums over the lanes of a warp at once."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

FROM_8 = ("32", "8", "16", "64")  # sums with a tile of at least four rows after a step of halving
STEPS = 5  # of an exchange over 32 lanes
FRACTION = {"f16": 10, "bf16": 7, "f32": 18}  # bits of u in a floating-point number 1 + u / 2^bits
WIDE = 4  # words that a lane loads at once, and matrices that it stores at once
F32_PARTS = 3  # bf16 numbers that together have the digits of one f32


def sums_of(options: Mapping[str, str]) -> int:
    """Return the number of sums."""
    return int(options["sums"])


def own_of(options: Mapping[str, str]) -> int:
    """Return how many sums each lane needs with result=own."""
    return max(1, sums_of(options) // WARP)


def passed_on(options: Mapping[str, str]) -> int:
    """Return how many sums are passed on to all lanes, by those that have them."""
    return sums_of(options) if options["result"] == "all" and sums_of(options) > 1 else 0


def halving(_dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of the halving exchange: half of the sums of a lane in each step, but at least one."""
    exchanged = sum(max(1, sums_of(options) >> step) for step in range(1, STEPS + 1))
    return {"SHFL": exchanged + passed_on(options)}


def tile(_dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tile in shared memory, from which all sums are read in words of up to 128 bits."""
    sums, per_lane, passed = sums_of(options), own_of(options), passed_on(options)
    shuffles = STEPS - (sums // per_lane).bit_length() + 1
    return {
        "STS": sums + (per_lane if passed else 0),
        "LDS": sums + (max(1, passed // 4) if passed else 0),
        "SHFL": shuffles,
    }


def stored_matrices(steps: int) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Return the counts of tiles that `stmatrix` stores, after so many steps of the halving exchange."""

    def counts(_dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        sums, per_lane, passed = sums_of(options), own_of(options), passed_on(options)
        stored = sums >> steps
        of_row = {1: 0, 2: 1, 4: 3}[WARP * per_lane // sums]  # shuffles of the lanes that share the values of a sum
        return {
            "STSM": stored // WIDE,
            "LDS": (stored + passed) // WIDE,
            "SHFL": sums - stored + per_lane * of_row,
            "STS": per_lane if passed else 0,
        }

    return counts


def matrices(parts: int) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Return the counts if each value is the sum of so many parts of 16 bits, which are multiplied one by one."""

    def counts(_dtype: Dtype, options: Mapping[str, str]) -> Mapping[str, int]:
        per_lane = own_of(options)
        sums = sums_of(options) // per_lane
        products = min(2, -(-sums // 2))  # each has a row for an even sum, and one for the odd sum that follows
        return {
            "HMMA": per_lane * parts * products * -(-sums // 8),
            "SHFL": per_lane * (products + 1) + passed_on(options),
        }

    return counts


def elements(at: Setting) -> int:
    """Return the number of values: one per sum and lane."""
    return at.threads * at.whole("sums")


def tile_bytes(at: Setting) -> int:
    """Return the shared memory of a block: per warp, a row of 33 words for each of at most 32 sums."""
    rows = min(at.whole("sums"), WARP)
    return at.block // WARP * 16 * -(-rows * (WARP + 1) // 4)


def stored_bytes(steps: int) -> Callable[[Setting], int]:
    """Return the shared memory of a block: per warp, two tiles with a row of 36 words for each value that is stored."""
    return lambda at: at.block // WARP * 2 * 4 * (min(at.whole("sums"), WARP) >> steps) * (WARP + 4)


PATTERN = Pattern(
    summary="Each lane has `sums` values, and the warp sums each of them over its lanes: `sums` sums at once.",
    source="NVIDIA/cccl, issues 7562 and 7692, pull requests 8607 and 9321, 2025 and 2026",
    dtypes=("f32", "i32", "f16", "bf16"),
    options={"sums": ("32", "1", "2", "4", "8", "16", "64"), "result": ("own", "all")},
    representative={"launch": "2*sms x 256"},
    also_called=("batched sum", "multi-reduce", "warp reduce batched", "WSPRO"),
    buffers=(Input("values", elements=elements), Output("result", elements=elements)),
    launch_bounds=True,
    unroll=2,
    compiler_options=("-default-device",),  # NVRTC 13.0 takes lambdas of CCCL 3.5 for functions of the host without it
    blocks=(32, 64, 128, 256),
    notes=(
        "With `result=own`, sum j is needed in lane j mod 32 only; with 64 sums, a lane gets two. With `result=all`, "
        "every lane needs every sum. Butterflies give all sums to all lanes, which then choose theirs by conditional "
        "moves. `cub` takes one shuffle per sum to pass it on from lane 0. In `halving`, `mma`, `mma-split` and "
        "`cub-batched`, each sum is first in one lane, and `result=all` takes one more shuffle per sum; in `smem`, "
        "`smem-stmatrix` and `halving-stmatrix`, loads from shared memory. For 64 sums, a thread needs more than 128 "
        "registers, hence blocks of at most 256 threads. Two values of 16 bits lie in one register, as after a wide "
        "load, and their sums are f32. In the matrix that `mma` multiplies by, all elements are 0 or 1: products are "
        "exact, and additions are those of the matrix unit. In `mma-split`, a number in f32 is the sum of three bf16, "
        "which have its 24 digits, unless they are smaller than 2^-126. Values have so few digits that all sums are "
        "exact in any order; in general, the error of `mma` and `mma-split` is that of adding 4 values, each of which "
        "a matrix unit may truncate to 24 digits of the largest, and then 8 sums in f32. `cub-batched` does an "
        "exchange like `halving`, with `redux` instead for up to 8 sums of integers; CUDA has it from 13.4 on."
    ),
    variants=(
        Variant(
            name="butterflies",
            mechanism=Mechanism.SHFL,
            baseline=True,
            summary="a butterfly with `__shfl_xor_sync` for each sum",
            per_iteration=lambda _, options: {"SHFL": STEPS * sums_of(options)},
        ),
        Variant(
            name="halving",
            mechanism=Mechanism.SHFL,
            summary="in each of five steps, a lane keeps half of its sums and sends the others by `__shfl_xor_sync`",
            per_iteration=halving,
        ),
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            summary=(
                "a tile in shared memory, padded against bank conflicts; each lane adds up a row, or its part of one; "
                "two `__syncwarp()` per 32 sums"
            ),
            shared=tile_bytes,
            per_iteration=tile,
        ),
        Variant(
            name="smem-stmatrix",
            mechanism=Mechanism.SMEM,
            summary=(
                "like `smem`, with `stmatrix`, which stores four registers at once, and loads of 16 bytes; two tiles "
                "in turn, one `__syncwarp()` per 32 sums"
            ),
            shared=stored_bytes(0),
            only={"sums": FROM_8},
            needs="sm_90",
            source="stmatrix.cu",
            per_iteration=stored_matrices(0),
            opcodes=("STSM.16.M88.4", "LDS.128"),
        ),
        Variant(
            name="halving-stmatrix",
            mechanism=Mechanism.HYBRID,
            summary="one step of `halving`, then `smem-stmatrix` for half as many values",
            shared=stored_bytes(1),
            only={"sums": FROM_8},
            needs="sm_90",
            source="stmatrix.cu",
            per_iteration=stored_matrices(1),
            opcodes=("STSM.16.M88.4", "LDS.128", "SHFL.BFLY"),
        ),
        Variant(
            name="mma",
            mechanism=Mechanism.MATRIX,
            summary="`mma.sync` with a matrix of zeros and ones adds the values of 4 lanes; then two steps of shuffles",
            dtypes=("f16", "bf16"),
            needs="sm_80",
            source="matrix.cu",
            per_iteration=matrices(1),
        ),
        Variant(
            name="mma-split",
            mechanism=Mechanism.MATRIX,
            summary="like `mma`, with each value as the sum of three bf16",
            dtypes=("f32",),
            needs="sm_80",
            source="matrix.cu",
            per_iteration=matrices(F32_PARTS),
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="`__reduce_add_sync` for each sum",
            dtypes=("i32",),
            needs="sm_80",
            source="redux.cu",
            per_iteration=lambda _, options: {"REDUX": sums_of(options)},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpReduce` for each sum, which a shuffle takes from lane 0 to the others",
            dtypes=("f32", "i32"),  # sums of 16-bit values are f32
            source="cub.cu",
        ),
        Variant(
            name="cub-batched",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::WarpReduceBatched`, which leaves sum j in lane j mod 32",
            dtypes=("f32", "i32"),
            needs_cccl=(3, 4),
            source="cub_batched.cu",
        ),
    ),
)


def whole(values: NDArray[np.generic]) -> tuple[NDArray[np.uint32], int]:
    """Return the u of values as unsigned integers, and the modulus of their sums; 0: 2^32."""
    name = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}.get(values.dtype.name)
    if name is None:
        return values.view(np.uint32), 0
    scaled = (values.astype(np.float64) - 1) * 2.0 ** FRACTION[name]
    return scaled.astype(np.uint32), 2 ** FRACTION[name]


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw values of all u; shape [warps, sums, 32]."""
    shape = (at.warps, at.whole("sums"), WARP)
    if not at.dtype.floating:
        return rng.integers(-(2**31), 2**31, shape).astype(np.int32)
    bits = FRACTION[at.dtype.name]
    return (1 + rng.integers(0, 2**bits, shape) / 2.0**bits).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int, sums: str, result: str) -> NDArray[np.generic]:
    """Add sums to the u of values, `iterations` times, modulo the modulus of the type; shape [warps, sums, 32].

    With result=own, lane l adds the sums l and l + 32 to its values below 32 and from 32 on, or 2·l + 1 if it has none.
    It adds a single sum twice.
    """
    count = int(sums)
    u, modulus = whole(values)
    u = u.reshape(-1, count, WARP).copy()
    lanes = np.arange(WARP, dtype=np.uint32)
    for _ in range(iterations):
        total = u.sum(axis=2, dtype=np.uint32)  # [warps, sums]
        if result == "all":
            u += total[:, :, None]
        else:
            parts = max(1, count // WARP)
            added = np.broadcast_to(2 * lanes + 1, (len(u), parts, WARP)).copy()
            added[:, :, : min(count, WARP)] = (2 if count == 1 else 1) * total.reshape(len(u), parts, -1)
            u += np.repeat(added, count // parts, axis=1)
        if modulus:
            u %= modulus
    if not modulus:
        return u.view(np.int32).reshape(values.shape)
    return (1 + u / modulus).astype(values.dtype).reshape(values.shape)

"""All threads of a block get the sum of its values, by different second stages."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant

OF_WARP = 5  # steps of the first stage, a butterfly over 32 lanes
GROUP = 8  # lanes whose values each of them loads, as in copy.cu
ADDERS = 4  # warps that add up all values in `raking-quarters`
WIDEST = 16  # bytes that a thread loads at once

Counts = Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]


def second_stage(of_warps: Callable[[Dtype, int], Mapping[str, int]]) -> Counts:
    """Return the counts of the first stage and of a second one, given those of the second for some warps."""

    def counts(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
        second = of_warps(dtype, int(constants["block"]) // WARP)
        first = {"SHFL": OF_WARP * dtype.words, "STS": 1, "BAR": 1}
        return {opcode: first.get(opcode, 0) + second.get(opcode, 0) for opcode in (*first, *second)}

    return counts


def wide_loads(dtype: Dtype, count: int) -> int:
    """Return the loads of so many adjacent elements."""
    return max(1, count * dtype.size // WIDEST)


def groups(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of groups of lanes, whose sums are shuffled, and of wide loads of up to eight sums of warps."""
    warps = int(constants["block"]) // WARP
    part = min(warps, GROUP)
    shuffled = WARP // GROUP - 1 + (warps // part).bit_length() - 1
    loads = wide_loads(dtype, GROUP) + wide_loads(dtype, part)
    return {"STS": 2, "LDS": loads, "SHFL": shuffled * dtype.words, "BAR": 1}


def columns(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a first warp that adds up columns, and passes on the sum of these."""
    warps = int(constants["block"]) // WARP
    return {"STS": 2, "LDS": warps - 1 + 1, "SHFL": OF_WARP * dtype.words, "BAR": 2}


def quarters(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of up to four warps that add up columns, and pass on a sum each."""
    warps = int(constants["block"]) // WARP
    adders = min(warps, ADDERS)
    stored, loaded = int(warps > adders), warps // adders - 1
    loads = loaded + wide_loads(dtype, GROUP) + wide_loads(dtype, adders)
    return {"STS": stored + 2, "LDS": loads, "SHFL": (WARP // GROUP - 1) * dtype.words, "BAR": 2}


PATTERN = Pattern(
    summary="All threads of a block get the sum of its values; variants combine the sums of its warps differently.",
    source="pytorch/helion, pull request 3498",
    dtypes=("f32", "f64", "i32"),
    representative={"launch": "fill x 256"},
    also_called=("second stage of a block sum", "block sum"),
    buffers=(Input("values"), Output("result")),
    launch_bounds=True,
    unroll=4,
    blocks=(64, 128, 256, 512, 1024),
    static_block=True,
    notes=(
        "`shuffles`, `adds`, `wide-adds` and `redux` begin with the same butterfly in each warp, `smem8-wide-adds` "
        "with groups of eight lanes. They put the sum of the warp in one of two arrays in shared memory, so that one "
        "barrier per iteration is enough; then every warp needs the sum of 2 to 32 numbers. In `raking-columns` and "
        "`raking-quarters`, all values pass through shared memory, and one warp or four warps add them up, while the "
        "others wait at a second barrier. `cub::BlockReduce` gives the sum to thread 0 only, which passes it on "
        "through shared memory, with a second "
        "barrier; for `i32`, its first stage is a REDUX from sm_80 on. `block-reduce` has more ways to sum a block. "
        "Values are whole numbers, in floating-point types modulo 2^14 (`f32`) or 2^43 (`f64`), so that sums are exact "
        "in any order."
    ),
    variants=(
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            baseline=True,
            summary="`cub::BlockReduce` with `BLOCK_REDUCE_WARP_REDUCTIONS`, the default",
            source="cub.cu",
        ),
        Variant(
            name="shuffles",
            mechanism=Mechanism.SHFL,
            summary="each lane loads one sum; then a butterfly with `__shfl_xor_sync`",
            per_iteration=second_stage(
                lambda dtype, warps: {"LDS": 1, "SHFL": (warps.bit_length() - 1) * dtype.words},
            ),
        ),
        Variant(
            name="adds",
            mechanism=Mechanism.SMEM,
            summary="each thread loads all sums one by one and adds them",
            per_iteration=second_stage(lambda _, warps: {"LDS": warps}),
        ),
        Variant(
            name="wide-adds",
            mechanism=Mechanism.SMEM,
            summary="like `adds`, with loads of up to 16 bytes",
            per_iteration=second_stage(lambda dtype, warps: {"LDS": wide_loads(dtype, warps)}),
        ),
        Variant(
            name="smem8-wide-adds",
            mechanism=Mechanism.HYBRID,
            summary=(
                "each lane loads the values of its group of 8 lanes, and `__shfl_xor_sync` exchanges the sums of the "
                "groups of a warp; then wide loads of up to 8 sums of warps, and shuffles in larger blocks"
            ),
            opcodes=("STS", "LDS", "SHFL.BFLY", "BAR"),
            per_iteration=groups,
        ),
        Variant(
            name="raking-columns",
            mechanism=Mechanism.SMEM,
            summary=(
                "each lane of the first warp adds up the values of the same lane of all warps; then a butterfly with "
                "`__shfl_xor_sync`, and all threads read its sum"
            ),
            needs="sm_80",  # in the machine code for sm_75, no loop can be identified
            per_iteration=columns,
        ),
        Variant(
            name="raking-quarters",
            mechanism=Mechanism.HYBRID,
            summary=(
                "four warps add up columns of a quarter of the length, and then by groups of 8 lanes as in "
                "`smem8-wide-adds`; all threads add the four sums"
            ),
            needs="sm_80",  # as raking-columns
            opcodes=("STS", "LDS", "SHFL.BFLY", "BAR"),
            per_iteration=quarters,
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="each lane loads one sum; then `__reduce_add_sync`",
            dtypes=("i32",),
            needs="sm_80",
            per_iteration=second_stage(lambda *_: {"LDS": 1, "REDUX": 1}),
        ),
    ),
)

# Floating-point values lie between minus and plus half of this modulus: the sum of 1,025 of them is exact in the type.
MODULUS = {"float32": 2.0**14, "float64": 2.0**43}


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers of all bits that the recurrence keeps; shape [warps, 32]."""
    half = int(MODULUS.get(at.dtype.numpy, 2.0 ** (8 * at.dtype.size)) // 2)
    return rng.integers(-half, half, (at.warps, WARP)).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int, at: Setting) -> NDArray[np.generic]:
    """Add the sum of the block to each value, wrapping in integers, modulo MODULUS in floats; shape [warps, 32]."""
    modulus = MODULUS.get(values.dtype.name)
    x = values.astype(np.float64) if modulus else values.view(f"u{values.dtype.itemsize}")
    x = x.reshape(-1, at.block)
    for _ in range(iterations):
        x = x + x.sum(axis=1, keepdims=True, dtype=x.dtype)
        if modulus:
            x -= modulus * np.rint(x / modulus)
    return (x.astype(values.dtype) if modulus else x.view(values.dtype)).reshape(values.shape)


# ---- the published ones to beat, and the challengers
from dataclasses import replace  # noqa: E402

KEEP = ("cub", "raking-columns", "raking-quarters", "smem8-wide-adds")


def _x(name: str, summary: str, counts: dict[str, int] | None, **more: object) -> Variant:
    return Variant(
        **{"name": name, "mechanism": Mechanism.SMEM, "summary": summary, "source": "x256.cu", "dtypes": ("f32",), "needs": "sm_80", "per_iteration": counts, **more}
    )


def _q(name: str, summary: str, counts: dict[str, int] | None) -> Variant:
    return _x(name, summary, counts, source="x1024.cu", mechanism=Mechanism.HYBRID)


PATTERN = replace(
    PATTERN,
    blocks=(256, 1024),
    dtypes=("f32",),
    variants=(
        *(
            replace(v, kernel="block_combine_" + v.name.replace("-", "_") + "<{T}>")
            for v in PATTERN.variants
            if v.name in KEEP
        ),
        _x("x-columns-spread", "raking-columns; which warp adds depends on the block, modulo 4", {"STS": 2, "LDS": 8, "SHFL": 5, "BAR": 2}),
        _x("x-wide-spread", "the same modulo 4; it loads eight values per lane by two loads", {"STS": 2, "LDS": 3, "SHFL": 5, "BAR": 2}),
        _x("x-wide-groups-spread", "x-wide-spread; lanes by groups of 8", {"STS": 3, "LDS": 5, "SHFL": 3, "BAR": 2}, mechanism=Mechanism.HYBRID),
        _x("x-columns-parts-spread", "x-columns-spread; three shuffles, then four sums that all threads add", {"STS": 2, "LDS": 8, "SHFL": 3, "BAR": 2}),
        _x("x-wide-parts-spread", "x-wide-spread; three shuffles, then four sums that all threads add", {"STS": 2, "LDS": 3, "SHFL": 3, "BAR": 2}),
        _x("x-groups-late", "smem8-wide-adds; sums of groups of 8 are stored, shuffles after the barrier", {"STS": 2, "LDS": 4, "SHFL": 3, "BAR": 1}, mechanism=Mechanism.HYBRID),
        _q("x-quarters-local", "raking-quarters of adjacent warps, which meet at named barriers", None),
        _q("x-quarters-local-wide", "the same; adders load 16 bytes at a time", None),
        _q("x-quarters-wide", "raking-quarters of adjacent warps; adders load 16 bytes at a time", {"STS": 3, "LDS": 5, "SHFL": 3, "BAR": 2}),
        _q("x-quarters-adjacent", "raking-quarters of adjacent warps", {"STS": 3, "LDS": 10, "SHFL": 3, "BAR": 2}),
        _q("x-eighths", "eight warps add, 16 bytes per lane; all threads add eight sums", {"STS": 3, "LDS": 5, "SHFL": 3, "BAR": 2}),
    ),
)

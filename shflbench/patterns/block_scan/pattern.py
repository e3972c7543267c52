"""Each thread gets the sum of the values of its block up to its own, or of the lower threads only."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.block_scan.family import FAMILY
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant, elements_per_thread

OF_WARP = 5  # steps of a scan over 32 lanes
GROUP = 8  # lanes whose values each of them loads, as in copy.cu
WIDEST = 16  # bytes that a thread loads at once
PADDING = 128  # bytes after which a slot is unused, as in kernels.cu


def steps(constants: Mapping[str, str]) -> int:
    """Return the steps of a scan over the block: 10 over 1,024 threads."""
    return int(constants["block"]).bit_length() - 1


def shift(dtype: Dtype, constants: Mapping[str, str]) -> int:
    """Return 1 if one more exchange moves the sums up by a thread, as in an exclusive scan of floats; else 0."""
    return int(dtype.floating and constants["kind"] == "exclusive")


def doubling(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a scan over distances that double, through double-buffered shared memory."""
    return dict.fromkeys(("STS", "LDS", "BAR"), steps(constants) + shift(dtype, constants))


def tree(_dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tree: a step up but the last adds two slots, one down also moves one of them.

    The first store and the last load are those of the thread's own slot. The first step down loads one slot only.
    """
    up, down = steps(constants) - 1, steps(constants)
    return {"STS": 1 + up + 2 * down, "LDS": 2 * up + 2 * down - 1 + 1, "BAR": up + down + 1}


def within_warps(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of scans over the lanes of a warp and over the warps of a block, all in shared memory."""
    exchanges = steps(constants) + shift(dtype, constants) + 2  # two: of the sums of the warps, and of their scan
    return {"STS": exchanges, "LDS": exchanges, "BAR": 2}


def shuffles(dtype: Dtype, constants: Mapping[str, str], *, shared: int, barriers: int) -> Mapping[str, int]:
    """Return the counts of the same scans by shuffles, with `shared` exchanges through shared memory."""
    count = (steps(constants) + shift(dtype, constants)) * dtype.words
    return {"SHFL": count, "STS": shared, "LDS": shared, "BAR": barriers}


def lower_warps(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of wide loads of up to eight sums of warps, and of shuffles of the sums of these."""
    warps = int(constants["block"]) // WARP
    part = min(warps, GROUP)
    shuffled = (warps // part).bit_length() - 1
    return {"LDS": max(1, part * dtype.size // WIDEST), "SHFL": shuffled * dtype.words}


def loads(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a scan over the lanes of a warp by shuffles, and of wide loads of the sums of the warps."""
    of_warps, shuffled = lower_warps(dtype, constants), (OF_WARP + shift(dtype, constants)) * dtype.words
    return {"SHFL": shuffled + of_warps["SHFL"], "STS": 1, "LDS": of_warps["LDS"], "BAR": 1}


def groups(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of wide loads of the values of a group, shuffles between groups, and wide loads of the sums."""
    of_warps, of_group = lower_warps(dtype, constants), GROUP * dtype.size // WIDEST
    between = (WARP // GROUP - 1) * dtype.words
    return {"SHFL": between + of_warps["SHFL"], "STS": 2, "LDS": of_group + of_warps["LDS"], "BAR": 1}


def raking(_dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a scan by the first warp, whose lanes access their values 16 bytes at once."""
    wide = max(1, int(constants["block"]) // WARP * 4 // WIDEST)
    return {"STS": 1 + wide, "LDS": wide + 1, "SHFL": 1 + OF_WARP, "BAR": 2}


def with_zeros(at: Setting) -> int:
    """Return the shared memory of the slots of warps with half as many zeros, in bytes per block."""
    return at.block * 3 // 2 * at.dtype.size


def padded(at: Setting) -> int:
    """Return the shared memory of the tree, in bytes per block."""
    return at.block * at.dtype.size + at.block * at.dtype.size // PADDING * at.dtype.size


PATTERN = Pattern(
    summary="Each thread gets the prefix sum of its block's values, including or excluding its own value.",
    source="Hillis and Steele, Data Parallel Algorithms, 1986; Blelloch, Prefix Sums and Their Applications, 1990",
    representative={"launch": "fill x 256"},
    also_called=("block prefix sum",),
    buffers=(Input("values"), Output("result")),
    options={"kind": ("inclusive", "exclusive")},
    launch_bounds=True,
    unroll=4,
    blocks=(64, 128, 256, 512, 1024),
    static_block=True,
    family=FAMILY,
    notes=(
        "`smem` adds over distances that double, `smem-tree` up and down a tree, with fewer additions and more steps; "
        "both take a block barrier per step. In `raking-shfl`, as in CUB's default, all values pass through shared "
        "memory, and the first warp scans them while the other warps wait. All other variants scan within warps first. "
        "In `shfl`, each warp then adds the sums of the lower warps by a butterfly; in `shfl-first-warp`, "
        "`smem-syncwarp` and `smem-unsafe`, the first warp scans the sums of the warps, and all threads read its "
        "results; `shfl-once` has two arrays for the sums, which saves the second barrier of `shfl`; in "
        "`shfl-loads-once`, each thread also loads the sums of all warps, in place of the butterfly. The copies of "
        "these sums in `smem8-shfl-once` begin with zeros, and each is shifted by one more element: the sums of the "
        "lower warps are then whole chunks of 16 bytes, which a thread adds up without conditions. For integers, the "
        "exclusive sum is the inclusive sum minus the value of the thread. For floating-point types, this subtraction "
        "would round; their exclusive sum takes one more exchange, which shifts the inclusive sums by one thread. "
        "`smem-tree` needs neither. Values are whole numbers, in floating-point types modulo 2^14 (`f32`) or 2^43 "
        "(`f64`), so that sums are exact in any order."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="double-buffered shared memory over distances that double; one `__syncthreads()` per step",
            shared=elements_per_thread(2),
            per_iteration=doubling,
        ),
        Variant(
            name="smem-tree",
            mechanism=Mechanism.SMEM,
            summary="up and down a tree in shared memory, without bank conflicts; one `__syncthreads()` per step",
            shared=padded,
            per_iteration=tree,
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary=(
                "scan in each warp through shared memory with two `__syncwarp()` per step; the first warp scans the "
                "sums of the warps"
            ),
            shared=with_zeros,
            per_iteration=within_warps,
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary=(
                "the same through `volatile` shared memory without barriers within a warp; relies on lockstep "
                "execution of the warp"
            ),
            shared=with_zeros,
            per_iteration=within_warps,
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "scan in each warp with `__shfl_up_sync`; each warp adds the sums of the lower warps by a butterfly "
                "with `__shfl_xor_sync`"
            ),
            per_iteration=lambda dtype, constants: shuffles(dtype, constants, shared=1, barriers=2),
        ),
        Variant(
            name="shfl-first-warp",
            mechanism=Mechanism.SHFL,
            summary=(
                "scan in each warp with `__shfl_up_sync`; the first warp scans the sums of the warps; shared memory "
                "passes the results on"
            ),
            needs="sm_80",  # in the machine code for sm_75, no loop can be identified
            per_iteration=lambda dtype, constants: shuffles(dtype, constants, shared=2, barriers=2),
        ),
        Variant(
            name="shfl-once",
            mechanism=Mechanism.SHFL,
            summary="like `shfl`, with double-buffered sums of the warps; one `__syncthreads()` per iteration",
            per_iteration=lambda dtype, constants: shuffles(dtype, constants, shared=1, barriers=1),
        ),
        Variant(
            name="shfl-loads-once",
            mechanism=Mechanism.SHFL,
            summary="like `shfl-once`, but each thread loads the sums of all warps and adds those of the lower ones",
            per_iteration=loads,
        ),
        Variant(
            name="smem8-shfl-once",
            mechanism=Mechanism.HYBRID,
            summary=(
                "like `shfl-loads-once`, but each thread loads the values of its group of 8 lanes, and "
                "`__shfl_xor_sync` exchanges the sums of the groups of a warp; shifted copies of the sums of the warps"
            ),
            opcodes=("STS", "LDS", "SHFL.BFLY", "BAR"),
            per_iteration=groups,
        ),
        Variant(
            name="redux-smem8",
            mechanism=Mechanism.HYBRID,
            summary=(
                "like `smem8-shfl-once`, with `__reduce_add_sync` for the sum of each warp and for that of the lower "
                "warps"
            ),
            dtypes=("i32",),
            needs="sm_80",
            source="redux.cu",
            opcodes=("STS", "LDS", "SHFL.BFLY", "REDUX", "BAR"),
            per_iteration={"STS": 2, "LDS": 3, "SHFL": 3, "REDUX": 2, "BAR": 1},
        ),
        Variant(
            name="raking-shfl",
            mechanism=Mechanism.SMEM,
            summary=(
                "each lane of the first warp adds up adjacent values in shared memory, by accesses of 16 bytes; then a "
                "scan with `__shfl_up_sync`; the warp writes the prefix sums to shared memory"
            ),
            dtypes=("f32", "i32"),
            needs="sm_80",  # as shfl-first-warp
            per_iteration=raking,
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::BlockScan` with `BLOCK_SCAN_WARP_SCANS`",
            source="cub.cu",
        ),
        Variant(
            name="cub-raking",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::BlockScan` with `BLOCK_SCAN_RAKING`, the default",
            source="cub.cu",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary=(
                "like `shfl`, with `cooperative_groups::inclusive_scan` and `cooperative_groups::reduce` over tiles of "
                "a warp"
            ),
            source="cg.cu",
        ),
    ),
)

# Floating-point values lie between minus and plus half of this modulus: the sum of 1,028 of them is exact in the type.
MODULUS = {"float32": 2.0**14, "float64": 2.0**43}


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers of all bits that the recurrence keeps; shape [warps, 32]."""
    half = int(MODULUS.get(at.dtype.numpy, 2.0 ** (8 * at.dtype.size)) // 2)
    return rng.integers(-half, half, (at.warps, WARP)).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int, kind: str, at: Setting) -> NDArray[np.generic]:
    """Repeat `scan ^ m·x` in wrapping integers, `scan + m·x` modulo MODULUS in floats; shape [warps, 32].

    m is 2 in an inclusive scan, 5 in an exclusive one.
    """
    whole = np.issubdtype(values.dtype, np.integer)
    x = values.view(f"u{values.dtype.itemsize}") if whole else values.astype(np.float64)
    x = x.reshape(-1, at.block)
    factor = x.dtype.type(5 if kind == "exclusive" else 2)
    for _ in range(iterations):
        scan = np.cumsum(x, axis=1, dtype=x.dtype)
        if kind == "exclusive":
            scan -= x
        x = scan ^ factor * x if whole else scan + factor * x
        if not whole:
            x -= MODULUS[values.dtype.name] * np.rint(x / MODULUS[values.dtype.name])
    return (x.view(values.dtype) if whole else x.astype(values.dtype)).reshape(values.shape)

"""All threads of a block, or its first one, get the sum of the block's values."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shflbench.model import WARP, Dtype, Mechanism
from shflbench.patterns.block_reduce.family import FAMILY
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant, elements_per_thread

OF_WARP = 5  # steps of a tree or a butterfly over 32 lanes
GROUP = 8  # lanes whose values each of them loads, as in copy.cu
WIDEST = 16  # bytes that a thread loads at once
Counts = Callable[[Dtype], Mapping[str, int]]
ALL_ONLY = {"result": ("all",)}


def steps(constants: Mapping[str, str]) -> int:
    """Return the steps of a tree over the block: 10 over 1,024 threads."""
    return int(constants["block"]).bit_length() - 1


def to_all(constants: Mapping[str, str]) -> int:
    """Return 1 if all threads get the sum, 0 if only the first does."""
    return int(constants["result"] == "all")


def tree(_dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tree with one block barrier per step."""
    count, is_read = steps(constants), to_all(constants)
    return {"STS": 1 + count, "LDS": count + is_read, "BAR": 1 + count + is_read}


def tree_without_last_barriers(_dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tree whose last five steps have no block barrier."""
    count, is_read = steps(constants), to_all(constants)
    return {"STS": 1 + count, "LDS": count + is_read, "BAR": 1 + count - OF_WARP + 2 * is_read}


def shuffles(barriers: int, shared: int = 1) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Return the counts of butterflies over the lanes of a warp and over the warps of a block.

    Between them, `shared` values pass through shared memory.
    """

    def counts(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
        return {"SHFL": steps(constants) * dtype.words, "STS": shared, "LDS": shared, "BAR": barriers}

    return counts


def trees_of_warps(_dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tree in each warp and one over the sums of the warps, without the store of a last sum."""
    count, is_read = steps(constants), to_all(constants)
    return {"STS": 1 + count - 1 + is_read, "LDS": count + 1 + is_read, "BAR": 2}


def trees_and_shuffles(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a tree in each warp and a butterfly over the sums of the warps."""
    is_read = to_all(constants)
    shuffled = (steps(constants) - OF_WARP) * dtype.words
    return {"SHFL": shuffled, "STS": 1 + OF_WARP + is_read, "LDS": OF_WARP + 1 + is_read, "BAR": 2}


def raking(read: Callable[[int], int]) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Return the counts of a first warp whose lanes each add up a value per warp, of which they read so many."""

    def counts(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
        is_read, warps = to_all(constants), int(constants["block"]) // WARP
        return {"SHFL": OF_WARP * dtype.words, "STS": 1 + is_read, "LDS": read(warps) + is_read, "BAR": 2}

    return counts


def loads(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
    """Return the counts of a butterfly over the lanes of a warp and 16-byte loads of the sums of all warps."""
    nbytes = int(constants["block"]) // WARP * dtype.size
    return {"SHFL": OF_WARP * dtype.words, "STS": 1, "LDS": max(1, nbytes // WIDEST), "BAR": 2}


def loads_once(first: Counts) -> Callable[[Dtype, Mapping[str, str]], Mapping[str, int]]:
    """Return the counts of `first`, then wide loads of up to eight sums of warps, and shuffles of the sums of these."""

    def counts(dtype: Dtype, constants: Mapping[str, str]) -> Mapping[str, int]:
        warps = int(constants["block"]) // WARP
        part = min(warps, GROUP)
        before = first(dtype)
        shuffled = ((warps // part).bit_length() - 1) * dtype.words
        return {
            **before,
            "SHFL": before.get("SHFL", 0) + shuffled,
            "LDS": before.get("LDS", 0) + max(1, part * dtype.size // WIDEST),
            "BAR": 1,
        }

    return counts


def groups(dtype: Dtype) -> Mapping[str, int]:
    """Return the counts of a sum of a warp by wide loads of the values of a group, and shuffles between groups."""
    return {"STS": 2, "LDS": GROUP * dtype.size // WIDEST, "SHFL": (WARP // GROUP - 1) * dtype.words}


PATTERN = Pattern(
    summary="All threads of a block, or only thread 0, get the sum of the block's values.",
    source="Harris, Optimizing Parallel Reduction in CUDA, kernels 3 and 5; GTC 2013, Shuffle: Tips and Tricks, reduce",
    representative={"launch": "fill x 256"},
    also_called=("block sum", "reduction"),
    buffers=(Input("values"), Output("result")),
    options={"result": ("all", "first")},
    launch_bounds=True,
    unroll=4,
    blocks=(64, 128, 256, 512, 1024),
    static_block=True,
    family=FAMILY,
    notes=(
        "With `result=first`, only thread 0 gets the sum, which is enough for one atomic addition per block; no "
        "variant then passes the sum on, and the other threads change their values without it. The last warp of the "
        "classic tree (`smem-unsafe`) has no barriers and has been undefined since Volta; `smem-syncwarp` is its safe "
        "form. In `shfl`, each warp that needs the sum adds the sums of all warps by shuffles of its own; in "
        "`shfl-first-warp`, only the first warp does, and all threads read its result; in `shfl-loads`, each thread "
        "that needs the sum loads the sums of all warps and adds them up; `shfl-once` has two arrays for the sums of "
        "the warps, which saves the second barrier, and `shfl-loads-once` does both. `smem-warps` is `shfl-first-warp` "
        "with trees in shared memory in place of both butterflies, `smem-warps-shfl` with trees in place of the first. "
        "In `raking` and `raking-columns`, all values pass through shared memory, and the first warp alone adds them "
        "up, while the other warps wait. `raking` adds up adjacent values, as CUB's does; its padding avoids bank "
        "conflicts of loads but leaves some of stores in blocks of 64 to 512 threads. `raking-columns` has neither, "
        "but changes the order of the values. CUB gives the sum to thread 0 only; with `result=all`, thread 0 passes "
        "it on through shared memory. An `atomicAdd` to shared memory is a single instruction for `i32` only, before "
        "which the compiler adds up what the active lanes add (on sm_90 by `VOTE` and `REDUX`), although only one lane "
        "is active; for the other types, it generates a loop with compare-and-swap. In `atomic-columns-redux`, the "
        "lanes of a warp add to different addresses, and nothing is added up before; the arrays are never cleared, and "
        "each thread remembers what the sum of an array was. Values are whole numbers, in floating-point types modulo "
        "2^14 (`f32`) or 2^43 (`f64`), so that sums are exact in any order."
    ),
    variants=(
        Variant(
            name="smem",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="tree in shared memory; one `__syncthreads()` per step",
            shared=elements_per_thread(1),
            per_iteration=tree,
        ),
        Variant(
            name="smem-syncwarp",
            mechanism=Mechanism.SMEM,
            summary="tree in shared memory; `__syncwarp()` in the last five steps, which concern one warp",
            shared=elements_per_thread(1),
            per_iteration=tree_without_last_barriers,
        ),
        Variant(
            name="smem-unsafe",
            mechanism=Mechanism.SMEM_UNSAFE,
            safe=False,
            summary=(
                "tree in shared memory; `volatile` accesses without barriers in the last five steps, which rely on "
                "lockstep execution of the warp"
            ),
            shared=elements_per_thread(1),
            per_iteration=tree_without_last_barriers,
        ),
        Variant(
            name="smem-warps",
            mechanism=Mechanism.SMEM,
            summary=(
                "tree in shared memory in each warp, with `__syncwarp()` between steps; the first warp adds the sums "
                "of the warps by a second tree"
            ),
            per_iteration=trees_of_warps,
        ),
        Variant(
            name="smem-warps-shfl",
            mechanism=Mechanism.SMEM,
            summary="like `smem-warps`, but the first warp adds the sums of the warps by `__shfl_xor_sync`",
            needs="sm_80",  # as shfl-first-warp
            per_iteration=trees_and_shuffles,
        ),
        Variant(
            name="raking",
            mechanism=Mechanism.SMEM,
            summary=(
                "each lane of the first warp adds up adjacent values in shared memory, with padding against bank "
                "conflicts; then a butterfly with `__shfl_xor_sync`"
            ),
            needs="sm_80",  # as shfl-first-warp
            per_iteration=raking(lambda warps: warps),
        ),
        Variant(
            name="raking-columns",
            mechanism=Mechanism.SMEM,
            summary="like `raking`, but each lane of the first warp adds up the values of the same lane of all warps",
            needs="sm_80",  # as shfl-first-warp
            per_iteration=raking(lambda warps: warps - 1),
        ),
        Variant(
            name="shfl",
            mechanism=Mechanism.SHFL,
            summary=(
                "butterfly with `__shfl_xor_sync` in each warp; each warp that needs the sum adds the sums of the "
                "warps by a second butterfly"
            ),
            per_iteration=shuffles(barriers=2),
        ),
        Variant(
            name="shfl-first-warp",
            mechanism=Mechanism.SHFL,
            summary="like `shfl`, but only the first warp adds the sums of the warps; all threads read the result",
            only=ALL_ONLY,
            needs="sm_80",  # in the machine code for sm_75, no loop can be identified
            per_iteration=shuffles(barriers=2, shared=2),
        ),
        Variant(
            name="shfl-loads",
            mechanism=Mechanism.SHFL,
            summary="like `shfl`, but each thread that needs the sum loads the sums of all warps and adds them up",
            per_iteration=loads,
        ),
        Variant(
            name="shfl-once",
            mechanism=Mechanism.SHFL,
            summary="like `shfl`, with double-buffered sums of the warps; one `__syncthreads()` per iteration",
            per_iteration=shuffles(barriers=1),
        ),
        Variant(
            name="shfl-loads-once",
            mechanism=Mechanism.SHFL,
            summary="like `shfl-loads`, with double-buffered sums of the warps; one `__syncthreads()` per iteration",
            per_iteration=loads_once(lambda dtype: {"STS": 1, "SHFL": OF_WARP * dtype.words}),
        ),
        Variant(
            name="smem8-shfl-once",
            mechanism=Mechanism.HYBRID,
            summary=(
                "like `shfl-loads-once`, but each lane loads the values of its group of 8 lanes, and "
                "`__shfl_xor_sync` exchanges the sums of the groups of a warp"
            ),
            opcodes=("STS", "LDS", "SHFL.BFLY", "BAR"),
            per_iteration=loads_once(groups),
        ),
        Variant(
            name="redux-loads-once",
            mechanism=Mechanism.COLLECTIVE,
            summary="like `shfl-loads-once`, with `__reduce_add_sync` in place of the butterfly",
            dtypes=("i32",),
            needs="sm_80",
            per_iteration=loads_once(lambda _: {"STS": 1, "REDUX": 1}),
        ),
        Variant(
            name="redux",
            mechanism=Mechanism.COLLECTIVE,
            summary="like `shfl`, with `__reduce_add_sync` in place of each butterfly",
            dtypes=("i32",),
            needs="sm_80",
            per_iteration={"REDUX": 2, "STS": 1, "LDS": 1, "BAR": 2},
        ),
        Variant(
            name="atomic",
            mechanism=Mechanism.ATOMIC,
            summary=(
                "butterfly with `__shfl_xor_sync` in each warp, then one `atomicAdd` in shared memory per warp; three "
                "counters, one `__syncthreads()` per iteration"
            ),
        ),
        Variant(
            name="atomic-columns-redux",
            mechanism=Mechanism.ATOMIC,
            summary=(
                "`atomicAdd` of each value to an element per lane in shared memory, then `__reduce_add_sync` of these; "
                "two arrays, one `__syncthreads()` per iteration"
            ),
            dtypes=("i32",),
            needs="sm_80",
            source="redux.cu",
            opcodes=("ATOMS.ADD", "REDUX"),
            per_iteration={"ATOMS": 1, "LDS": 1, "REDUX": 1, "BAR": 1},
        ),
        Variant(
            name="cub",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::BlockReduce` with `BLOCK_REDUCE_WARP_REDUCTIONS`, the default",
            source="cub.cu",
        ),
        Variant(
            name="cub-raking",
            mechanism=Mechanism.LIBRARY,
            summary="`cub::BlockReduce` with `BLOCK_REDUCE_RAKING`",
            source="cub.cu",
        ),
        Variant(
            name="cg",
            mechanism=Mechanism.LIBRARY,
            summary="like `shfl`, with `cooperative_groups::reduce` over tiles of a warp in place of each butterfly",
            source="cg.cu",
        ),
    ),
)

# Floating-point values lie between minus and plus half of this modulus: the sum of 1,025 of them is exact in the type.
MODULUS = {"float32": 2.0**14, "float64": 2.0**43}


def inputs(rng: np.random.Generator, at: Setting) -> NDArray[np.generic]:
    """Draw whole numbers of all bits that the recurrence keeps; shape [warps, 32]."""
    half = int(MODULUS.get(at.dtype.numpy, 2.0 ** (8 * at.dtype.size)) // 2)
    return rng.integers(-half, half, (at.warps, WARP)).astype(at.dtype.numpy)


def reference(values: NDArray[np.generic], iterations: int, result: str, at: Setting) -> NDArray[np.generic]:
    """Repeat the recurrence of recurrence.cuh, wrapping in integers, modulo MODULUS in floats; shape [warps, 32]."""
    whole = np.issubdtype(values.dtype, np.integer)
    x = values.view(f"u{values.dtype.itemsize}") if whole else values.astype(np.float64)
    x = x.reshape(-1, at.block)
    odd = (2 * np.arange(at.block) + 1).astype(x.dtype)
    for _ in range(iterations):
        total = x.sum(axis=1, keepdims=True, dtype=x.dtype)
        x = x + total if result == "all" else np.concatenate([total, x[:, 1:] + odd[1:]], axis=1)
        if not whole:
            x -= MODULUS[values.dtype.name] * np.rint(x / MODULUS[values.dtype.name])
    return (x.view(values.dtype) if whole else x.astype(values.dtype)).reshape(values.shape)

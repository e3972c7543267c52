"""Threads of two blocks exchange values, iteration after iteration."""

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant
from shflbench.patterns.groups import blocks, larger_blocks, separate_blocks


def threads(at: Setting) -> int:
    """Return the threads of all groups."""
    return blocks(at) * at.block


PATTERN = Pattern(
    summary="Groups of `cluster` blocks: each thread exchanges a value with one of the block of the mirrored rank.",
    source="NVIDIA/cccl, issues 9994 and 9224; arXiv 2501.12084; sgl-project/sglang, pull request 38829",
    dtypes=("i32", "i64"),
    options={"cluster": ("2", "4", "8")},
    representative={"launch": "sms x 128", "cluster": "2"},
    also_called=("cluster sync", "distributed shared memory exchange"),
    launch_bounds=True,
    unroll=2,
    static_block=True,
    blocks=(32, 64, 128),
    buffers=(
        Input("values", elements=threads),
        Output("result", elements=threads),
        Output("slots", elements=lambda at: 2 * threads(at), compared=False),
    ),
    notes=(
        "A launch is that of groups: `132x128` with `cluster=4` are 528 blocks of 128 threads, in clusters of 4, or "
        "132 blocks of 512 threads in `larger-block` and `larger-block-pairs`. Its column `shape` has what was "
        "launched. All variants have two slots per thread, so that one synchronization per iteration is enough. A "
        "barrier of the cluster waits for all of its blocks, an `mbarrier` for the two that exchange. A value of `i64` "
        "is two of 4 bytes in one store (`st.async.v2`). In `numbered` and `barrier-relaxed`, a word has the number of "
        "its iteration, so that the order of memory does not matter: no exchange needs a fence of the whole GPU "
        "(`MEMBAR.ALL.GPU`). Nor does one of `red-async`, whose additions and loads are relaxed. In `mbarrier` and "
        "`store-async`, each arrival at a barrier of the other block has one, because it releases."
    ),
    variants=(
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="through global memory, with a barrier of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "slots", "iterations"),
            opcodes=("UCGABAR_ARV",),
        ),
        Variant(
            name="barrier",
            mechanism=Mechanism.CLUSTER,
            summary="stores to the shared memory of the other block; a barrier of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
        ),
        Variant(
            name="barrier-load",
            mechanism=Mechanism.CLUSTER,
            summary="loads from the shared memory of the other block; a barrier of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
        ),
        Variant(
            name="mbarrier",
            mechanism=Mechanism.CLUSTER,
            summary="stores as in `barrier`; a lane per warp arrives at an `mbarrier` of the other block",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
            opcodes=("SYNCS",),
        ),
        Variant(
            name="store-async",
            mechanism=Mechanism.CLUSTER,
            summary="`st.async`, which counts its bytes at an `mbarrier` of the other block, and one for the way back",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="store-async-depends",
            mechanism=Mechanism.CLUSTER,
            safe=False,
            summary="`st.async`; no barrier for the way back: the next store depends on the value that was read",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="red-async",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "`red.async` adds to a slot that is never cleared, and counts its bytes at an `mbarrier` per warp of "
                "the other block"
            ),
            dtypes=("i32",),
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
            opcodes=("REDAS", "SYNCS"),
        ),
        Variant(
            name="numbered",
            mechanism=Mechanism.CLUSTER,
            summary="relaxed stores of value and iteration in one word, which the other block polls; no fence",
            dtypes=("i32",),
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
        ),
        Variant(
            name="barrier-relaxed",
            mechanism=Mechanism.CLUSTER,
            summary="words as in `numbered`; a barrier of the cluster with a relaxed arrival before they are polled",
            dtypes=("i32",),
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "iterations"),
            opcodes=("UCGABAR_ARV",),
        ),
        Variant(
            name="larger-block",
            mechanism=Mechanism.SMEM,
            summary="one block with the threads of all; `__syncthreads()`",
            dims=larger_blocks,
            arguments=("values", "result", "iterations"),
            per_iteration={"STS": 1, "LDS": 1, "BAR": 1},
        ),
        Variant(
            name="larger-block-pairs",
            mechanism=Mechanism.SMEM,
            summary="the same; a named barrier per pair of warps (`cluster=2`) or of ranks (`cluster=4`, `cluster=8`)",
            dims=larger_blocks,
            arguments=("values", "result", "iterations"),
            opcodes=("STS", "LDS", "BAR.SYNC"),  # of a loop per pair
        ),
    ),
)


def reference(values: NDArray[np.generic], iterations: int, cluster: str, at: Setting) -> NDArray[np.generic]:
    """Mix each value with that of the mirrored block, own + 2·got in wrapping integers; shape [threads]."""
    x = values.view(f"u{values.itemsize}").reshape(at.grid, int(cluster), at.block).copy()
    for _ in range(iterations):
        x = x + x.dtype.type(2) * x[:, ::-1]
    return x.view(values.dtype).reshape(values.shape)

"""Two blocks of a cluster send each other 16 bytes to 16 KB, iteration after iteration."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shflbench.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Setting, Variant
from shflbench.patterns.groups import blocks, larger_blocks, separate_blocks

from shflbench.model import Mechanism
from shflbench.patterns.declare import Setting, Variant
from shflbench.patterns.family import Choice, Exclusion, Family, FamilyParameter
from shflbench.patterns.groups import separate_blocks
from shflbench.patterns.load_choices import DOUBLE, flags

PUSH, PULL, ASYNC, BULK = range(4)
MOVES = ("Move::PUSH", "Move::PULL", "Move::ASYNC", "Move::BULK")
BARRIER, FENCED, THREADS, WARPS, ONCE = range(5)
SYNCS = ("Sync::BARRIER", "Sync::FENCED", "Sync::THREADS", "Sync::WARPS", "Sync::ONCE")
OPCODES = {ASYNC: ("STAS",), BULK: ("UBLKCP",)}
WIDEST = 128  # bits

PARAMETERS = (
    FamilyParameter(
        name="move",
        meaning=(
            "stores to the other block, loads from it, stores that count their bytes (`st.async`), or bulk copies "
            "(`cp.async.bulk`)"
        ),
        values={"push": PUSH, "pull": PULL, "async": ASYNC, "bulk": BULK},
    ),
    FamilyParameter(
        name="bits",
        meaning="of a store or load of the shared memory of the other block",
        values={f"bits{bits}": bits for bits in (32, 64, WIDEST)},
    ),
    FamilyParameter(
        name="sync",
        meaning=(
            "how a block says that it has written words, or where these count their bytes, read them: by a barrier of "
            "the cluster; a fence and one whose arrival is relaxed; an arrival at an `mbarrier` of the other block by "
            "each thread, by a lane per warp, or by one thread after `__syncthreads()`"
        ),
        values={"barrier": BARRIER, "fenced": FENCED, "threads": THREADS, "warps": WARPS, "once": ONCE},
    ),
    DOUBLE,
    FamilyParameter(
        name="merged",
        meaning=(
            "the block that receives announces the bytes, or the one that sends does, by the arrival that says that it "
            "has read what came before"
        ),
        values={"": 0, "merged": 1},
    ),
    FamilyParameter(
        name="parts",
        meaning="one bulk copy per block, or each warp copies the words that it has",
        values={"": 0, "parts": 1},
    ),
)


def _variant(name: str, choice: Choice) -> Variant:
    buffers = (2 if choice["double"] else 1) * (2 if choice["move"] == BULK else 1)

    def shared(at: Setting) -> int:
        return buffers * at.whole("bytes")

    parameters = f"{MOVES[choice['move']]}, {choice['bits']}, {SYNCS[choice['sync']]}"
    at_mbarrier = choice["sync"] not in {BARRIER, FENCED} or choice["move"] in OPCODES
    return Variant(
        name=name,
        mechanism=Mechanism.CLUSTER,
        summary="a member of the family of exchanges between blocks",
        only={},
        needs="sm_90",
        source="family.cu",
        kernel=f"my_cluster_copy_member<{{T}}, Choice<{parameters}, {flags(choice, 'double', 'merged', 'parts')}>>",
        dims=separate_blocks,
        arguments=("values", "result", "iterations"),
        shared=shared,
        opcodes=(*OPCODES.get(choice["move"], ()), *(("SYNCS",) if at_mbarrier else ())),
    )


FAMILY = Family[Variant](
    parameters=PARAMETERS,
    exclusions=(
        Exclusion(
            reason="only bulk copies have parts",
            excludes=lambda it: bool(it["parts"]) and it["move"] != BULK,
        ),
        Exclusion(
            reason="what is copied in bulk is stored and loaded in the widest words",
            excludes=lambda it: it["move"] == BULK and it["bits"] < WIDEST,
        ),
        Exclusion(
            reason="plain stores and loads count no bytes, which an arrival could announce",
            excludes=lambda it: bool(it["merged"]) and it["move"] not in OPCODES,
        ),
        Exclusion(
            reason="a barrier of the cluster counts no bytes",
            excludes=lambda it: bool(it["merged"]) and it["sync"] in {BARRIER, FENCED},
        ),
        Exclusion(
            reason="with one buffer, a block says that it has read the words before it may announce the next ones",
            excludes=lambda it: bool(it["merged"]) and not it["double"],
        ),
        Exclusion(
            reason="a thread that copies nothing announces no bytes",
            excludes=lambda it: bool(it["merged"]) and it["move"] == BULK and it["sync"] == THREADS,
        ),
    ),
    variant=_variant,
)

WORD = 4  # bytes
FEW = ("1024", "16", "64", "256", "4096")  # bytes: above, these variants have too many words
IN_CLUSTER = ("values", "result", "iterations")  # the arguments of all variants without slots in global memory


def words(at: Setting) -> int:
    """Return the 32-bit words of all blocks."""
    return blocks(at) * at.whole("bytes") // WORD


def slots(count: int) -> Callable[[Setting], int]:
    """Return the shared memory of a kernel with space for so many times the bytes of a block, in bytes per block."""
    return lambda at: count * at.whole("bytes")


PATTERN = Pattern(
    summary="Groups of `cluster` blocks: each sends `bytes` to the block of the mirrored rank, and uses what comes.",
    source="our own; CUDA C++ Programming Guide, Asynchronous Data Copies; NVIDIA/cccl, issues 9994 and 9224",
    dtypes=("i32",),
    options={"bytes": ("1024", "16", "64", "256", "4096", "16384"), "cluster": ("2", "4")},
    representative={"launch": "sms x 128"},
    also_called=("distributed shared memory copy", "st.async", "SM to SM copy"),
    launch_bounds=True,
    unroll=2,
    static_block=True,
    blocks=(64, 128, 256),
    buffers=(
        Input("values", elements=words),
        Output("result", elements=words),
        Output("slots", elements=lambda at: 2 * words(at), compared=False),
        Output("counts", elements=blocks, dtype="i32", initial=0),
    ),
    notes=(
        "A launch is that of groups: `132x128` with `cluster=2` are 264 blocks of 128 threads, in clusters of 2, or"
        " 132 blocks of 256 threads in `larger-block`. Its column `shape` has what was launched. A thread has what "
        "it sends in registers, in words of 16 bytes, and mixes each with what has come in its place; of blocks "
        "with more threads than words, only the first threads have one. All variants have space for the words of "
        "two iterations, and the members of the family of one or two. `store-async-cta` has the scope of PTX's "
        "defaults, `.cta`: what an arrival that releases to the cluster costs. In `store-async-arrivals` and "
        "`bulk`, one arrival says that the words of the iteration before have been read and how many bytes come. "
        "Bulk copies access shared memory by the async proxy, so that `fence.proxy.async` lies between accesses of "
        "threads and copies. In `numbered`, half of what is sent are numbers of iterations."
    ),
    variants=(
        Variant(
            name="global",
            mechanism=Mechanism.GLOBAL,
            baseline=True,
            summary="through global memory; a count per block says that its words have come",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=("values", "result", "slots", "counts", "iterations"),
        ),
        Variant(
            name="push-barrier",
            mechanism=Mechanism.CLUSTER,
            summary="stores of 16 bytes to the shared memory of the other block; a barrier of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
        ),
        Variant(
            name="pull-barrier",
            mechanism=Mechanism.CLUSTER,
            summary="loads of 16 bytes from the shared memory of the other block; a barrier of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
        ),
        Variant(
            name="push-mbarrier",
            mechanism=Mechanism.CLUSTER,
            summary="stores as in `push-barrier`; a lane per warp arrives at an `mbarrier` of the other block",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("SYNCS",),
        ),
        Variant(
            name="store-async",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "`st.async` of 16 bytes, which counts its bytes at an `mbarrier` of the other block, and one for the "
                "way back, at which a lane per warp arrives"
            ),
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="store-async-arrivals",
            mechanism=Mechanism.CLUSTER,
            summary="the same; a lane per warp announces the bytes by an arrival that says also what has been read",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="store-async-cta",
            mechanism=Mechanism.CLUSTER,
            safe=False,
            summary="like `store-async`; arrivals and waits have the scope of the block and not of the cluster",
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("STAS", "SYNCS"),
        ),
        Variant(
            name="bulk",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "stores to own shared memory, `__syncthreads()`, and one `cp.async.bulk` to the other block; an "
                "arrival as in `store-async-arrivals`"
            ),
            needs="sm_90",
            source="clusters.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(4),
            opcodes=("UBLKCP", "SYNCS"),
        ),
        Variant(
            name="numbered",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "relaxed stores of 32 bits and the number of the iteration in one word, which the other block polls; "
                "no fence"
            ),
            only={"bytes": FEW},
            needs="sm_90",
            source="relaxed.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(4),
        ),
        Variant(
            name="red-async",
            mechanism=Mechanism.CLUSTER,
            summary=(
                "`red.async` adds 8 bytes to a slot that is never cleared, and counts its bytes at an `mbarrier` per "
                "warp of the other block; no fence"
            ),
            only={"bytes": FEW},
            needs="sm_90",
            source="relaxed.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=("REDAS", "SYNCS"),
        ),
        Variant(
            name="larger-block",
            mechanism=Mechanism.SMEM,
            summary="one block with the threads of all; `__syncthreads()`",
            dims=larger_blocks,
            arguments=IN_CLUSTER,
            shared=lambda at: 2 * at.whole("cluster") * at.whole("bytes"),
        ),
        Variant(
            name="x-numbered",
            mechanism=Mechanism.CLUSTER,
            summary="numbered words over all threads, generic addresses",
            needs="sm_90",
            source="x.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(4),
        ),
        Variant(
            name="x-numbered-polls",
            mechanism=Mechanism.CLUSTER,
            summary="the same, two loads under way",
            needs="sm_90",
            source="x.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(4),
        ),
        Variant(
            name="x-added",
            mechanism=Mechanism.CLUSTER,
            summary="red.async over all threads",
            needs="sm_90",
            source="x.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=('REDAS', 'SYNCS'),
            only={"bytes": FEW},
        ),
        Variant(
            name="x-added-tests",
            mechanism=Mechanism.CLUSTER,
            summary="the same, waits by tests",
            needs="sm_90",
            source="x.cu",
            dims=separate_blocks,
            arguments=IN_CLUSTER,
            shared=slots(2),
            opcodes=('REDAS', 'SYNCS'),
            only={"bytes": FEW},
        ),
    ),
    family=FAMILY,
)


def reference(
    values: NDArray[np.int32],
    iterations: int,
    bytes: str,  # noqa: A002, ARG001  (the option)
    cluster: str,
    at: Setting,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Mix each word with that of the mirrored block, own + 2·got in wrapping integers; counts are zero as before."""
    x = values.view(np.uint32).reshape(at.grid, int(cluster), -1).copy()
    for _ in range(iterations):
        x = x + np.uint32(2) * x[:, ::-1]
    return x.view(np.int32).reshape(values.shape), np.zeros(blocks(at), np.int32)

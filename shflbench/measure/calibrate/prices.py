"""The clocks of synchronization, of exchanges through memory and of matrix fragments, alone and beside copies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.measure.calibrate.probe import FULL, Probe, clocks_probe, rate_probe

if TYPE_CHECKING:
    from collections.abc import Iterator

HOPPER = 90  # the first compute capability with clusters
# The first compute capability with an instruction; of others, 70. LD and ST are those of a cluster's shared memory.
FEWEST_ARCH = {
    **dict.fromkeys(("LDSM", "MOVM"), 75),
    **dict.fromkeys(("REDUX|CREDUX", "HMMA"), 80),
    **dict.fromkeys(("SYNCS", "UCGABAR_ARV", "LD", "ST", "STAS", "REDAS", "STSM"), HOPPER),
}
GROUP = 4 * WARP  # threads of a block that is timed beside blocks that copy
CLUSTERS = (2, 4, 8)  # blocks; more are not portable
STORES = (0, 1, 8)  # per lane, before a fence


def _price(name: str, text: str, primitive: str, opcode: str, count: int) -> Probe:
    """Return the probe of the clocks that a primitive takes in one warp per SM."""
    probe = clocks_probe(name, text, f"alone<{primitive}>", opcode, count)
    return replace(probe, source="prices.cu", fewest_arch=FEWEST_ARCH.get(opcode, 70))


def _rate(name: str, text: str, primitive: str, opcode: str, count: int) -> Probe:
    """Return the probe of the requests per clock of an instruction in a primitive."""
    probe = rate_probe(name, text, f"alone<{primitive}>", opcode, count)
    return replace(probe, source="prices.cu", fewest_arch=FEWEST_ARCH.get(opcode, 70))


def _beside_copies(probe: Probe) -> Probe:
    """Return the probe of the same primitive in 4 warps per SM, beside 4 warps that copy in the L2 cache."""
    return replace(
        probe,
        name=f"{probe.name}_beside_copies",
        text=f"{probe.text}, 4 warps beside copies",
        kernel=probe.kernel.replace("alone<", "beside_copies<"),
        block=GROUP,
        blocks=2,
    )


def _with_copies(probe: Probe) -> Iterator[Probe]:
    yield probe
    yield _beside_copies(probe)


def _warps() -> Iterator[Probe]:
    shuffle = _price("shfl_latency", "latency of a shuffle", "Shuffle", "SHFL", 64)
    yield _beside_copies(shuffle)  # `rates` has the probe of the shuffle alone
    yield _price("vote_latency", "latency of a vote", "Vote", "VOTE", 64)
    for text, equal, name in (("one value", "true", "equal"), ("32 values", "false", "distinct")):
        title = f"latency of match.any, {text}"
        yield _price(f"match_any_{name}_latency", title, f"MatchAny<{equal}>", "MATCH", 4)
    yield _price("match_all_latency", "latency of match.all", "MatchAll", "MATCH", 16)
    for name, text in (("Add", "sum"), ("Min", "minimum")):
        title = f"latency of redux, {text}, and a move to a register"
        yield _price(f"redux_{name.lower()}_latency", title, f"Redux{name}", "REDUX|CREDUX", 16)


def _shared_memory() -> Iterator[Probe]:
    yield _beside_copies(_price("lds_latency", "latency of a load from shared memory", "SharedLoad", "LDS", 64))
    exchange = "exchange through shared memory"
    yield _price("smem_exchange", f"{exchange}, without __syncwarp", "SharedExchange<false>", "LDS", 16)
    synced = _price("smem_exchange_synced", f"{exchange}, with 2 __syncwarp", "SharedExchange<true>", "LDS", 16)
    yield from _with_copies(synced)
    for name, text in (("add", "addition"), ("exchange", "exchange"), ("cas", "compare and swap, and a move")):
        title = f"latency of an atomic {text}, shared memory"
        yield _price(f"atoms_{name}_latency", title, f"SharedAtomic<ATOMIC_{name.upper()}>", "ATOMS", 16)


def _global_memory() -> Iterator[Probe]:
    yield _price("l1_latency", "latency of a load from the L1", "L1Load", "LDG", 16)
    yield from _with_copies(_price("l2_latency", "latency of a load from the L2", "L2Load", "LDG", 16))
    text = "latency of an atomic exchange, global memory"
    yield _price("atomg_exchange_latency", text, "GlobalAtomic", "ATOMG", 16)


def _barriers() -> Iterator[Probe]:
    named = _price("named_barrier_4", "named barrier of 4 warps", "NamedBarrier<true>", "BAR", 16)
    yield from _with_copies(replace(named, block=GROUP))
    two = _price(
        "named_barrier_2x4", "2 named barriers of 4 warps, numbers in registers", "NamedBarrier<false>", "BAR", 16
    )
    yield replace(two, block=2 * GROUP)
    for warps in (4, 32):
        title = f"__syncthreads_or of {warps} warps"
        yield replace(_price(f"barrier_or_{warps}", title, "BarrierOr", "BAR", 16), block=WARP * warps)
    for warps in (1, 4, 8, 32):
        title = f"mbarrier of {warps} warp{'s' if warps > 1 else ''}, arrival of each thread"
        price = _price(f"mbarrier_{warps}", title, "Mbarrier<true>", "SYNCS", 12)
        yield replace(price, work=4, block=WARP * warps)
    one = replace(_price("mbarrier_warps_4", "", "Mbarrier<false>", "SYNCS", 12), work=4, block=GROUP)
    yield from _with_copies(replace(one, text="mbarrier of 4 warps, arrival of one lane each"))
    text = "mbarrier of 32 warps, arrival of one lane each"
    yield replace(one, name="mbarrier_warps_32", text=text, block=FULL)


def _fences() -> Iterator[Probe]:
    yield _price("fence_block", "fence of a block", "Fence<BLOCK, 0>", "MEMBAR", 4)
    for scope, text, arch in (("GPU", "the GPU", 70), ("CLUSTER", "a cluster", HOPPER), ("SYSTEM", "the system", 70)):
        for stores in STORES:
            title = f"fence of {text}{f' after {stores} store' if stores else ''}{'s' if stores > 1 else ''}"
            name = f"fence_{scope.lower()}{f'_{stores}' if stores else ''}"
            fence = replace(_price(name, title, f"Fence<{scope}, {stores}>", "MEMBAR", 4), fewest_arch=arch)
            yield from _with_copies(fence) if stores <= 1 and scope == "GPU" else (fence,)
    for name, opcode in (("release", "MEMBAR"), ("acquire", "CCTL")):
        half = _price(f"fence_gpu_{name}", f"fence of the GPU, {name}", f"Fence<GPU_{name.upper()}, 0>", opcode, 4)
        yield replace(half, fewest_arch=HOPPER)
    many = _price("fence_gpu_2x8", "fence of the GPU, each of 16 warps per SM", "Fence<GPU, 0>", "MEMBAR", 4)
    yield replace(many, block=2 * GROUP, blocks=2)
    for name, text, fenced in (
        ("", "load of 4 KiB from the L1", "false"),
        ("_fenced", "fence of the GPU and load of 4 KiB after it", "true"),
    ):
        price = _price(f"l1_pass{name}", text, f"L1Pass<{fenced}>", "LDG", 8)
        yield replace(price, work=1)


def _clusters() -> Iterator[Probe]:
    for name, text, relaxed in (("", "", "false"), ("_relaxed", ", relaxed arrival", "true")):
        for blocks in CLUSTERS:
            title = f"barrier of a cluster of {blocks}{text}"
            kernel = f"ClusterBarrier<{relaxed}>"
            probe = _price(f"cluster_barrier{name}_{blocks}", title, kernel, "UCGABAR_ARV", 4)
            probe = replace(probe, block=GROUP, cluster=blocks)
            yield from _with_copies(probe) if blocks == CLUSTERS[0] else (probe,)
    remote = "latency of a load from another block's shared memory"
    load = replace(_price("dsmem_latency", remote, "RemoteLoad<1, 16>", "LD", 16), cluster=2)
    yield from _with_copies(load)
    yield replace(load, name="dsmem_latency_one", text=f"{remote}, one cluster on the GPU", single=True)
    for name, text, primitive, opcode in (
        ("dsmem_load", "load of 64 bits from another block's shared memory", "RemoteLoad<4, 4>", "LD"),
        ("dsmem_store", "store to another block's shared memory", "RemoteStore", "ST"),
    ):
        yield replace(_rate(name, text, primitive, opcode, 16), cluster=2)
    for name, text, message, opcode, count in (
        ("st_async", "handover by st.async", "ASYNC_STORE", "STAS", 4),
        ("red_async", "handover by red.async", "ASYNC_ADD", "REDAS", 4),
        ("remote_arrival", "handover by a remote arrival that releases", "REMOTE_ARRIVAL", "SYNCS", 16),
    ):
        probe = replace(_price(name, text, f"Handover<{message}>", opcode, count), work=4, cluster=2)
        yield from _with_copies(probe) if name == "st_async" else (probe,)


def _fragments() -> Iterator[Probe]:
    yield _price("ldmatrix_latency", "latency of ldmatrix, 1 matrix", "LoadMatrix", "LDSM", 32)
    yield _rate("ldmatrix", "ldmatrix, 4 matrices", "LoadMatrices", "LDSM", 16)
    yield _rate("stmatrix", "stmatrix, 4 matrices", "StoreMatrices", "STSM", 16)
    yield _price("movmatrix_latency", "latency of movmatrix", "MoveMatrix<1, 16>", "MOVM", 16)
    yield _rate("movmatrix", "movmatrix", "MoveMatrix<4, 4>", "MOVM", 16)
    yield _price("mma_latency", "latency of mma.sync, 16×8×16, 16 bits", "Multiply<1, 16>", "HMMA", 16)
    yield _rate("mma", "mma.sync, 16×8×16, 16 bits", "Multiply<4, 4>", "HMMA", 16)


PRICES: tuple[Probe, ...] = (
    *_warps(),
    *_shared_memory(),
    *_global_memory(),
    *_barriers(),
    *_fences(),
    *_clusters(),
    *_fragments(),
)

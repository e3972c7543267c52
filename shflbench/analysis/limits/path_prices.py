"""The prices of instructions on a path: the latency of results, and the clocks for which they occupy units.

The values are those of an NVIDIA H200. `calibrate` measures most of them; the others were fitted to the reference runs
of one half of the patterns (`constants.py`) and to the cases of `benchmarks/drawn_cases/drawn-1`.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (dataclasses)
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.kernel_path import target_of, width
from shflbench.analysis.limits.loop_steps import OCCUPANCY, OPCODE_OCCUPANCY
from shflbench.analysis.limits.units import MATRICES, ExecutionUnit, least_passes, unit_of, waits_for_l2
from shflbench.core.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.analysis.limits.constants import PredictionConstants
    from shflbench.core.model import Instruction, KernelRequests
    from shflbench.store.calibration_file import Calibration

PARTS = 4  # sub-partitions of an SM
WORD = 32  # bits
LINE = 128  # bytes
SECTORS = 4  # of a line
BITS = 8  # per byte
PER_US = 1e-6  # seconds
ISSUE, BARRIER, EXCHANGE, LOAD_STORE, REMOTE, L2 = "issue", "barrier", "exchange", "load/store", "remote", "l2"
NAMES = {
    (AccessSpace.SHARED, AccessKind.LOAD): "LDS",
    (AccessSpace.SHARED, AccessKind.STORE): "STS",
    (AccessSpace.SHARED, AccessKind.ATOMIC): "ATOMS",
    (AccessSpace.GLOBAL, AccessKind.LOAD): "LDG",
    (AccessSpace.GLOBAL, AccessKind.STORE): "STG",
}
# Clocks until the result of an instruction is there, where no document says so (fitted).
OTHER_LATENCIES = {"S2R": 20.0, "S2UR": 20.0, "MUFU": 18.0, "LDC": 30.0, "R2UR": 10.0}
USUAL_LATENCY = 14.0  # of the others that code waits for by a scoreboard (fitted; a vote takes 13.4)


def norm(parts: Iterable[float], power: float) -> float:
    """Return the norm that joins times which overlap in part: the higher the power, the more."""
    return float(sum(max(0.0, part) ** power for part in parts) ** (1 / power))


@dataclass(frozen=True, slots=True)
class PathPrice:
    """The clocks of one instruction of one warp."""

    latency: float = USUAL_LATENCY
    units: Mapping[str, float] = field(default_factory=dict)  # of the SM
    part_units: Mapping[str, float] = field(default_factory=dict)  # of a sub-partition
    release: float = 10.0  # until its operands may be written (fitted)
    stores_to: str = ""  # the memory that a fence waits for: `global` or `remote`
    arrives: float = 0.0  # clocks until a barrier in memory has what this instruction sends to it


@dataclass(frozen=True, kw_only=True)
class PathPrices:
    """The prices of a GPU, in clocks unless their comment says otherwise; in parentheses, the figure they come from."""

    shfl: float = 24.0  # (shfl_latency, less 2 for a shuffle that waits for a shuffle)
    lds: float = 23.1  # (lds_latency)
    l1: float = 34.1  # (l1_latency)
    l2: float = 294.9  # (l2_latency)
    dram: float = 900.0  # of a load (fitted)
    atomic: float = 403.7  # on global memory (atomg_exchange_latency)
    shared_atomic: float = 26.1  # (atoms_add_latency)
    redux: float = 38.3  # (redux_add_latency, less 6 for the move of the result)
    remote_load: float = 195.5  # from another block's shared memory (dsmem_latency_one)
    remote_load_clocks: float = 15.8  # that a load of 64 bits occupies the path to other SMs (1 / dsmem_load)
    remote_store_clocks: float = 7.0  # likewise, a store of 32 bits (1 / dsmem_store)
    async_store_clocks: float = 9.0  # likewise, an asynchronous one (fitted)
    remote_store: float = 50.0  # longer, of a fence behind a store to another block (fitted)
    async_store: float = 150.0  # from st.async to the end of the wait for it (st_async, less 35 around it)
    remote_arrival: float = 157.6  # likewise, from an arrival at another block's barrier (remote_arrival, less a fence)
    local_arrival: float = 32.2  # likewise, at the block's own (mbarrier_1, less 20 for the next look at it)
    phase: float = 20.0  # of a look at a barrier in memory (fitted)
    mbarrier_clocks: float = 2.43  # per warp that arrives or looks (mbarrier_32 less mbarrier_1, for 31 warps)
    fence: float = 249.6  # of the GPU or a cluster, without stores (fence_gpu, less 20 for its issue)
    fence_stored: float = 596.7  # behind a store to global memory (fence_gpu_1)
    fence_of_others: float = 12.7  # more per square of the blocks on the SM that issue fences as well (fitted)
    fence_system: float = 1267.1  # (fence_system)
    fence_block: float = 9.3  # (fence_block, less 4 for its issue)
    cluster_barrier: float = 100.0  # from the last arrival until the block continues (cluster_barrier_relaxed_2)
    invalidate: float = 5.3  # of L1, behind an acquire (fence_gpu_acquire, less 4 for its issue)
    barrier_constant: float = 12.2  # (the line through barrier_1 to barrier_32)
    barrier_per_warp: float = 2.0  # likewise
    matrix: float = 24.0  # of a transposition of a matrix (movmatrix_latency)
    product: float = 24.8  # of a product of matrices (mma_latency)
    product_clocks: float = 1.63  # (1 / mma)
    l2_bytes_per_clock: float = 36.2  # per SM, where all SMs load (l2_bytes_per_s)
    global_latency: float = 294.9  # of the loads of a launch, wherever they find their data

    power: float = 4.0  # of the norm that joins the waits of a block, and what all blocks ask of a unit (fitted)
    launch_power: float = 3.0  # likewise, of a whole kernel (fitted)
    barrier_power: float = 1.5  # likewise, of one with barriers, where blocks wait more often (fitted)
    outside_power: float = 3.0  # likewise, of the SMs, the start of blocks and memory (fitted)
    repeated_us: float = 1.82  # of a launch of one of several per sample, beside its path (fitted)
    single_us: float = 2.62  # likewise, of one alone (fitted)
    next_launch_us: float = 1.6  # from the end of a kernel to the begin of the next one in the stream (fitted)
    dependent_launch_us: float = 0.75  # likewise, of one that is launched early and waits (fitted)
    overlap_begins_us: float = 0.3  # from the begin of a kernel to that of one which overlaps with it (fitted)
    cluster_us: float = 0.023  # longer, of each wave of clusters, for one block per SM; grows by `CLUSTERS` (fitted)
    passes: Mapping[tuple[str, int], float] = field(default_factory=dict)  # per access, by opcode and bits
    sectors: Mapping[str, float] = field(default_factory=dict)  # per access to global memory, by opcode

    def barrier(self, arrivals: float, waits: float, demand: float) -> float:
        """Return the clocks from one barrier to the next, for `arrivals` warps that wait and ask so much of units."""
        longest = norm((waits + self.barrier_per_warp * arrivals, demand + ARRIVAL), self.power)
        return longest + self.barrier_constant

    def fence_of(self, opcode: str, stores_to: str) -> float:
        """Return the clocks of a fence, behind stores to a memory."""
        if ".SYS" in opcode:
            return self.fence_system
        if ".GPU" not in opcode:
            return self.fence_block
        longer = {"remote": self.remote_store, "global": self.fence_stored - DEFAULT_FENCE}
        return self.fence + longer.get(stores_to, 0.0)

    def of(self, one: Instruction) -> PathPrice:  # noqa: PLR0911  (a price per kind of instruction)
        """Return the price of an instruction."""
        base, unit = one.base, unit_of(one)
        if base in {"LDS", "LDSM", "STS", "STSM", "SHFL", "ATOMS"}:
            return self._exchange(one)
        if base in {"LDG", "LDGSTS", "LDL", "STG", "STL", "RED", "REDG", "ATOM", "ATOMG"}:
            return self._access(one)
        if base in {"LD", "ST", "STAS", "REDAS"}:
            return self._remote(one)
        if base == "SYNCS":
            return self._mbarrier(one)
        if base == "BAR":
            return PathPrice(0.0, {BARRIER: self.barrier_per_warp})
        if base == "REDUX":
            return PathPrice(self.redux, {base: 2.0})
        if unit is ExecutionUnit.MATRIX:
            is_move = base == "MOVM"
            return PathPrice(self.matrix if is_move else self.product, {base: 1.0 if is_move else self.product_clocks})
        if base == "BRA":
            target = target_of(one)
            return PathPrice(0.0, {}, {ISSUE: TAKEN} if target is not None and target <= one.address else {})
        name, clocks = OPCODE_OCCUPANCY.get(base) or (OCCUPANCY.get(unit, ("", 0.0)) if unit else ("", 0.0))
        return PathPrice(OTHER_LATENCIES.get(base, USUAL_LATENCY), {}, {name: clocks} if name else {})

    def _exchange(self, one: Instruction) -> PathPrice:
        """Return the price of a shuffle or an access to the block's shared memory."""
        base = one.base
        if base == "SHFL":
            return PathPrice(self.shfl, {EXCHANGE: 1.0}, OPERANDS)
        if base == "ATOMS":  # `.POPC` counts lanes in one pass
            return PathPrice(
                self.shared_atomic, {EXCHANGE: 1.0 if ".POPC" in one.opcode else self._passes(one)}, OPERANDS
            )
        if base in {"STS", "STSM"}:
            return PathPrice(0.0, {EXCHANGE: self._passes(one)}, STORE_OPERANDS, release=STORE_RELEASE)
        return PathPrice(self.lds, {EXCHANGE: self._passes(one)}, OPERANDS)

    def _access(self, one: Instruction) -> PathPrice:
        """Return the price of an access to global or local memory."""
        base = one.base
        lines = max(1.0, self.sectors.get(base, width(one) / BITS) / SECTORS)
        if base in {"ATOM", "ATOMG"}:
            return PathPrice(self.atomic, {LOAD_STORE: 1.0}, OPERANDS)
        if base in {"STG", "STL", "RED", "REDG"}:
            stores_to = "" if base == "STL" else "global"
            return PathPrice(0.0, {LOAD_STORE: lines}, OPERANDS, release=STORE_RELEASE, stores_to=stores_to)
        if waits_for_l2(one):
            return PathPrice(self.l2, {LOAD_STORE: lines, L2: lines * LINE / self.l2_bytes_per_clock}, OPERANDS)
        return PathPrice(self.l1 if base == "LDL" else self.global_latency, {LOAD_STORE: lines}, OPERANDS)

    def _remote(self, one: Instruction) -> PathPrice:
        """Return the price of an access to another block's shared memory."""
        words = width(one) / WORD
        if one.base == "LD":
            return PathPrice(self.remote_load, {REMOTE: self.remote_load_clocks * words / 2}, OPERANDS)
        if one.base == "ST":
            clocks = self.remote_store_clocks * words
            return PathPrice(0.0, {REMOTE: clocks}, OPERANDS, release=STORE_RELEASE, stores_to="remote")
        clocks = self.async_store_clocks * words
        return PathPrice(0.0, {REMOTE: clocks}, OPERANDS, release=STORE_RELEASE, arrives=self.async_store)

    def _mbarrier(self, one: Instruction) -> PathPrice:
        """Return the price of an arrival at a barrier in memory, or of a look at it."""
        units = {one.base: self.mbarrier_clocks}
        if ".PHASECHK" in one.opcode:
            return PathPrice(self.phase, units)
        return PathPrice(0.0, units, arrives=self.remote_arrival if ".RED" in one.opcode else self.local_arrival)

    def _passes(self, one: Instruction) -> float:
        name = MATRICES.get(one.base, one.base)
        return max(1.0, self.passes.get((name, width(one)), float(least_passes(one))))


@dataclass(frozen=True, slots=True)
class PathModel:
    """What the prediction of a path knows of a GPU: prices of instructions, and constants of launches and memory."""

    prices: PathPrices
    constants: PredictionConstants

    @classmethod
    def of(cls, calibration: Calibration | None, constants: PredictionConstants) -> PathModel:
        """Return the model of a GPU with what `calibrate` measured."""
        return cls(measured_prices(calibration), constants)


OPERANDS = {"operands": 2.0}  # clocks of a sub-partition's path per request
STORE_OPERANDS = {"operands": 4.0}
STORE_RELEASE = 18.0  # clocks until the operands of a store may be written
CLUSTERS = 1.5  # exponent of the blocks on an SM, in the time to start clusters, twice that if they fence (fitted)
TAKEN = 2.0  # clocks more that a branch back occupies the issue of a sub-partition (fitted)
ARRIVAL = 20.0  # clocks from the last request of a block until the barrier behind it is reached (fitted)
DEFAULTS = PathPrices()
DEFAULT_FENCE = DEFAULTS.fence

# Name of a price → figure of a calibration, and the clocks of what the measured loop does beside it.
MEASURED = {
    "shfl": ("shfl_latency", 2.0),
    "lds": ("lds_latency", 0.0),
    "l1": ("l1_latency", 0.0),
    "l2": ("l2_latency", 0.0),
    "atomic": ("atomg_exchange_latency", 0.0),
    "shared_atomic": ("atoms_add_latency", 0.0),
    "redux": ("redux_add_latency", 6.0),
    "remote_load": ("dsmem_latency_one", 0.0),
    "async_store": ("st_async", 35.5),
    "local_arrival": ("mbarrier_1", 20.0),
    "fence": ("fence_gpu", 20.0),
    "fence_stored": ("fence_gpu_1", 0.0),
    "fence_system": ("fence_system", 0.0),
    "fence_block": ("fence_block", 4.0),
    "cluster_barrier": ("cluster_barrier_relaxed_2", 0.0),
    "invalidate": ("fence_gpu_acquire", 4.0),
    "matrix": ("movmatrix_latency", 0.0),
    "product": ("mma_latency", 0.0),
}
RATES = {"remote_load_clocks": "dsmem_load", "remote_store_clocks": "dsmem_store", "product_clocks": "mma"}


def measured_prices(calibration: Calibration | None, prices: PathPrices = DEFAULTS) -> PathPrices:
    """Return the prices with those that `calibrate` measured in place of the others."""
    if calibration is None:
        return prices
    values = {name: calibration.value(figure) for name, (figure, _) in MEASURED.items()}
    known = {name: value - MEASURED[name][1] for name, value in values.items() if value is not None}
    rates = {name: calibration.value(figure) for name, figure in RATES.items()}
    known |= {name: 1 / rate for name, rate in rates.items() if rate}
    arrival, released = calibration.value("remote_arrival"), calibration.value("fence_gpu_release")
    if arrival is not None and released is not None:
        known["remote_arrival"] = arrival - released
    one, many = calibration.value("mbarrier_1"), calibration.value("mbarrier_32")
    if one is not None and many is not None:
        known["mbarrier_clocks"] = (many - one) / 31 / 2  # each warp arrives and looks
    if line := calibration.barrier_line:
        known |= {"barrier_constant": line.constant, "barrier_per_warp": line.per_warp}
    if (rate := calibration.value("l2_bytes_per_s")) and calibration.clock_mhz:
        known["l2_bytes_per_clock"] = rate * PER_US / calibration.sms / calibration.clock_mhz
    known["global_latency"] = known.get("l2", prices.global_latency)
    return replace(prices, **known)  # type: ignore[arg-type]  # all of them are float


def with_requests(prices: PathPrices, requests: KernelRequests | None) -> PathPrices:
    """Return the prices with the passes and sectors per access that the emulator counted, averages over the lines."""
    totals: dict[tuple[str, int], tuple[float, float]] = {}
    for one in requests.accesses if requests else ():
        name = NAMES.get((one.space, one.kind))
        if name is None or not one.requests:
            continue
        is_shared = one.space is AccessSpace.SHARED
        amount = (one.passes or 1.0) if is_shared else (one.sectors or 0.0)
        if name == "ATOMS":
            amount = max(amount, one.same_address or 0.0)
        key = name, max(WORD, one.bits) if is_shared else 0
        total, count = totals.get(key, (0.0, 0.0))
        totals[key] = total + amount * one.requests, count + one.requests
    means = {key: total / count for key, (total, count) in totals.items()}
    return replace(
        prices,
        passes={key: mean for key, mean in means.items() if key[1]},
        sectors={name: mean for (name, bits), mean in means.items() if not bits},
    )

"""The limits of a launch: the time that each unit of a GPU needs for it, and the warps that hide latencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.access_findings import AccessProblem, findings
from shflbench.analysis.limits.calibrated import atomics_per_clock
from shflbench.analysis.limits.constants import DEFAULTS, PREDICTED_ARCH
from shflbench.analysis.limits.launched import atomics_on_one_address, exchange_passes, launch_clocks
from shflbench.analysis.limits.memory_prediction import partial_stores_us
from shflbench.analysis.limits.moved import moved_bytes
from shflbench.analysis.limits.one_pass import ATOMIC, BLOCK_START, DRAM, atomic_us, block_start_us
from shflbench.analysis.limits.waits import FEW_WARPS, Latencies, Waits, waits_of
from shflbench.core.arch.devices import product
from shflbench.core.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.advice.files.predicted_gpu import PredictedGpu
    from shflbench.analysis.limits.access_findings import AccessFinding
    from shflbench.analysis.limits.launched import LaunchWork
    from shflbench.analysis.limits.moved import MovedBytes
    from shflbench.core.arch.residency import Occupancy
    from shflbench.core.model import AccessRequests

LEAST_SHARE = 0.5  # of the passes of a launch: conflicts that cause fewer do not decide
OVERHEAD, LATENCY = "launch overhead", "latency"  # limits of launches with little work
# Of blocks that follow one another: what each of them waits for longer, a load from memory or its exchanges.
MEMORY_WAITS, EXCHANGE_WAITS = "memory latency", "exchange latency"
WAITS = (MEMORY_WAITS, EXCHANGE_WAITS)
PARTIAL_STORES = "partial sectors"  # that stores write, which L2 takes longer for


@dataclass(frozen=True, slots=True)
class LaunchLimits:
    """The predicted times of one launch, by what needs them; times are in µs."""

    launch: str  # as `--launch` takes it
    basis: str  # what was counted: `8 of 65,536 blocks`
    gpu: PredictedGpu
    parts: Mapping[str, float]  # of each unit
    moved: MovedBytes | None
    warps: float  # that the busiest SM executes at a time
    of_warps: int | None  # that it could
    limited_by: tuple[str, ...]  # what allows no further block on an SM, if there are more
    waits: Waits | None  # of a warp, in clocks
    waits_us: float | None  # of the warps of an SM that follow one another, at most
    grid: int
    atomics: float  # on the address of global memory that gets the most
    rounds: float  # of the blocks that are resident at a time
    conflicts: tuple[AccessFinding, ...]  # of shared memory, the one with most passes first
    uncoalesced: tuple[AccessFinding, ...] = ()  # likewise of global memory, the one with most sectors first
    shared_atomics: tuple[AccessRequests, ...] = ()
    unknown: str = ""  # why the parts are less than what the launch needs

    @property
    def by(self) -> str:
        """What needs most of the time: a unit, the launch itself, or the latency that few warps do not hide."""
        if self.is_small and self.waits_us is not None:
            if max(self.work_us, self.waits_us) < self.gpu.overhead_us:
                return OVERHEAD
            return LATENCY if self.waits_us > self.work_us else self.unit
        return OVERHEAD if self.work_us < self.gpu.overhead_us / 2 else self.unit

    @property
    def unit(self) -> str:
        """The unit that needs most of the time."""
        return largest(self.parts)

    @property
    def work_us(self) -> float:
        """The least time of the work of the launch."""
        return max(self.parts.values(), default=0.0)

    @property
    def is_small(self) -> bool:
        """Whether so few warps are resident that they do not hide latencies."""
        return self.warps < FEW_WARPS

    @property
    def predicted_us(self) -> float:
        """The time of the launch, about."""
        return predicted_us(self.parts, self.gpu)

    @property
    def depends_on_waits(self) -> bool:
        """Whether the waits of few warps decide, of which only a bound is known."""
        return self.is_small and self.by in {OVERHEAD, LATENCY}

    def share(self, part: str) -> float:
        """Return the time of a unit as a share of that of the slowest one."""
        return self.parts.get(part, 0.0) / self.work_us if self.work_us else 0.0


def largest(parts: Mapping[str, float]) -> str:
    """Return the unit that needs most of the time."""
    return str(max(parts, key=lambda name: parts[name]))


def predicted_us(parts: Mapping[str, float], gpu: PredictedGpu) -> float:
    """Return the time of a launch whose units need so much: the longest hides most of the rest, as runs have shown."""
    overlap = DEFAULTS.overlap
    return gpu.overhead_us + float(sum(us**overlap for us in parts.values()) ** (1 / overlap))


def limits_of_launch(
    work: LaunchWork, gpu: PredictedGpu, launch: str, occupancy: Occupancy | None
) -> LaunchLimits | None:
    """Return what limits a launch whose blocks were counted; None if no rate is known for anything that it does."""
    parts = unit_us(work, gpu)
    rounds = _rounds(work, gpu, occupancy)
    moved = moved_bytes(work, gpu.device, gpu.calibration)
    if moved:
        parts[moved.by] = moved.us
    accesses = work.counts.requests.accesses
    if gpu.device.arch == PREDICTED_ARCH and (partial := sum(partial_stores_us(one, DEFAULTS) for one in accesses)):
        parts[PARTIAL_STORES] = partial * work.counts.grid
    if not any(parts.values()):
        return None
    counts, sms = work.counts, gpu.device.sms
    of_sm = -(-counts.grid // sms) * counts.requests.warps
    warps = min(of_sm, occupancy.warps) if occupancy else of_sm
    latencies = Latencies.of(gpu.figures, counts.requests.warps)
    waits = waits_of(work, latencies) if latencies else None
    waves = max(1.0, of_sm / warps) if warps else 1.0
    if waits and latencies and warps >= FEW_WARPS and rounds:
        load_us, others_us = _round_us(waits, latencies, moved, gpu)
        name = MEMORY_WAITS if load_us > others_us else EXCHANGE_WAITS
        parts[name] = max(1.0, rounds) * (load_us + others_us)
    return LaunchLimits(
        launch=launch,
        basis=counts.basis,
        gpu=gpu,
        parts=parts,
        moved=moved,
        warps=warps,
        of_warps=occupancy.of_warps if occupancy else None,
        limited_by=occupancy.limited_by if occupancy and of_sm > warps else (),
        waits=waits,
        waits_us=waits.clocks * waves / gpu.device.clock_mhz if waits else None,
        grid=counts.grid,
        atomics=atomics_on_one_address(work),
        rounds=rounds,
        conflicts=_conflicts(work),
        uncoalesced=_uncoalesced(work),
        shared_atomics=tuple(one for one in counts.requests.accesses if _is_serial(one, work)),
        unknown="nothing says how often a loop of its code iterates, which accesses no memory"
        if work.has_uncounted_loop
        else "",
    )


def _rounds(work: LaunchWork, gpu: PredictedGpu, occupancy: Occupancy | None) -> float:
    """Return how often the blocks of a launch that are resident at a time follow one another; 0 if unknown."""
    resident = occupancy.blocks if occupancy else 0
    return work.counts.grid / (gpu.device.sms * resident) if resident else 0.0


def _round_us(waits: Waits, latencies: Latencies, moved: MovedBytes | None, gpu: PredictedGpu) -> tuple[float, float]:
    """Return the times for which a block waits, at least: for a load from memory, and for its exchanges."""
    load_us = min(waits.memory, latencies.memory) / gpu.device.clock_mhz
    if moved and moved.by == DRAM and waits.memory and gpu.device.arch == PREDICTED_ARCH:
        load_us = DEFAULTS.dram_round_us
    return load_us, (waits.clocks - waits.memory) / gpu.device.clock_mhz


def unit_us(work: LaunchWork, gpu: PredictedGpu) -> dict[str, float]:
    """Return the time that each unit of the busiest SM, and those that all SMs share but memory, need, in µs."""
    clock, known = gpu.device.clock_mhz, product(gpu.device.name)
    parts = {name: clocks / clock for name, clocks in launch_clocks(work, gpu.figures, gpu.device.sms).items()}
    starts = (known.blocks_per_clock_measured or known.blocks_per_clock) if known else None
    rates = {
        BLOCK_START: block_start_us(work.counts.grid, starts.value if starts else None, clock),
        ATOMIC: atomic_us(atomics_on_one_address(work), _atomic_rate(gpu), clock),
    }
    return parts | {name: us for name, us in rates.items() if us}


def _atomic_rate(gpu: PredictedGpu) -> float | None:
    """Return the atomic operations on one address per clock of a GPU; None if not known."""
    known = product(gpu.device.name)
    documented = known.same_address_atomics_per_clock.value if known and known.same_address_atomics_per_clock else None
    return (atomics_per_clock(gpu.calibration) if gpu.calibration else None) or documented


def _conflicts(work: LaunchWork) -> tuple[AccessFinding, ...]:
    """Return the lines with bank conflicts, of which the passes are a large share, most passes first."""
    requests = work.counts.requests
    known = [item for item in findings(requests) if item.kind is AccessProblem.BANK_CONFLICT]
    shared = [one for one in requests.accesses if one.space is AccessSpace.SHARED]
    total = sum(exchange_passes(one, work) for one in shared)
    known.sort(key=lambda item: item.access.requests * item.per_request, reverse=True)
    added = sum(item.access.requests * (item.per_request - item.least) for item in known)
    return tuple(known) if added >= LEAST_SHARE * total else ()


def _uncoalesced(work: LaunchWork) -> tuple[AccessFinding, ...]:
    """Return the lines whose requests touch more sectors of global memory than their data fills, most sectors first."""
    known = [item for item in findings(work.counts.requests) if item.kind is AccessProblem.UNCOALESCED]
    of_global = [item for item in known if item.access.space is AccessSpace.GLOBAL]
    return tuple(sorted(of_global, key=lambda item: -item.access.requests * item.per_request))


def _is_serial(access: AccessRequests, work: LaunchWork) -> bool:
    """Whether the lanes of an atomic on shared memory follow one another, because they add to one word."""
    is_atomic = access.space is AccessSpace.SHARED and access.kind is AccessKind.ATOMIC
    return is_atomic and exchange_passes(access, work) > (access.conflict_free_passes or 1) * access.requests

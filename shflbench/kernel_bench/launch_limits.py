"""What limits a launch: the time that each unit of a GPU needs for it, at least, and the warps that hide latencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.access_findings import AccessProblem, findings
from shflbench.analysis.limits.calibrated import atomics_per_clock
from shflbench.analysis.limits.launched import atomics_on_one_address, exchange_passes, launch_clocks
from shflbench.analysis.limits.moved import moved_bytes
from shflbench.analysis.limits.one_pass import ATOMIC, BLOCK_START, atomic_us, block_start_us
from shflbench.analysis.limits.units import ExecutionUnit
from shflbench.analysis.limits.waits import FEW_WARPS, Latencies, Waits, waits_of
from shflbench.arch.devices import product
from shflbench.model import AccessKind, AccessSpace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.limits.access_findings import AccessFinding
    from shflbench.analysis.limits.launched import LaunchWork
    from shflbench.analysis.limits.moved import MovedBytes
    from shflbench.arch.residency import Occupancy
    from shflbench.kernel_bench.predicted_gpu import PredictedGpu
    from shflbench.model import AccessRequests

LEAST_SHARE = 0.5  # of the passes of a launch: conflicts that cause fewer do not decide
OVERHEAD, LATENCY = "launch overhead", "latency"  # limits of launches with little work


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
    waits: Waits | None  # of a warp, in clocks
    waits_us: float | None  # of the warps of an SM that follow one another, at most
    conflicts: tuple[AccessFinding, ...]  # of shared memory, the one with most passes first
    shared_atomics: tuple[AccessRequests, ...] = ()
    unknown: str = ""  # why the parts are less than what the launch needs

    @property
    def by(self) -> str:
        """What needs most of the time: a unit, the launch itself, or the latency that few warps do not hide."""
        if self.is_small and self.waits_us is not None:
            return OVERHEAD if max(self.work_us, self.waits_us) < self.gpu.overhead_us else LATENCY
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

    def share(self, part: str) -> float:
        """Return the time of a unit as a share of that of the slowest one."""
        return self.parts.get(part, 0.0) / self.work_us if self.work_us else 0.0


def largest(parts: Mapping[str, float]) -> str:
    """Return the unit that needs most of the time."""
    return str(max(parts, key=lambda name: parts[name]))


def limits_of_launch(
    work: LaunchWork, gpu: PredictedGpu, launch: str, occupancy: Occupancy | None
) -> LaunchLimits | None:
    """Return what limits a launch whose blocks were counted; None if no rate is known for anything that it does."""
    parts = unit_us(work, gpu)
    moved = moved_bytes(work, gpu.device, gpu.calibration)
    if moved:
        parts[moved.by] = moved.us
    if not any(parts.values()):
        return None
    counts, sms = work.counts, gpu.device.sms
    of_sm = -(-counts.grid // sms) * counts.requests.warps
    warps = min(of_sm, occupancy.warps) if occupancy else of_sm
    latencies = Latencies.of(gpu.figures, counts.requests.warps)
    waits = waits_of(work, latencies) if latencies else None
    waves = max(1.0, of_sm / warps) if warps else 1.0
    return LaunchLimits(
        launch=launch,
        basis=counts.basis,
        gpu=gpu,
        parts=parts,
        moved=moved,
        warps=warps,
        of_warps=occupancy.of_warps if occupancy else None,
        waits=waits,
        waits_us=waits.clocks * waves / gpu.device.clock_mhz if waits else None,
        conflicts=_conflicts(work),
        shared_atomics=tuple(one for one in counts.requests.accesses if _is_serial(one, work)),
        unknown="nothing says how often a loop of its code iterates, which accesses no memory"
        if work.has_uncounted_loop
        else "",
    )


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


def _is_serial(access: AccessRequests, work: LaunchWork) -> bool:
    """Whether the lanes of an atomic on shared memory follow one another, because they add to one word."""
    is_atomic = access.space is AccessSpace.SHARED and access.kind is AccessKind.ATOMIC
    return is_atomic and exchange_passes(access, work) > (access.conflict_free_passes or 1) * access.requests


EXCHANGING = frozenset({ExecutionUnit.EXCHANGE, ExecutionUnit.BARRIER})  # what only exchanges between threads need

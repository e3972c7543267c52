"""The clocks for which one warp waits, if each of its waits follows the one before: what few warps cannot hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.model import AccessKind, AccessSpace, WarpOperation

if TYPE_CHECKING:
    from shflbench.analysis.limits.launched import LaunchWork
    from shflbench.core.arch import Architecture

# Of an SM, at a time; chosen, not measured: fewer leave each of its four sub-partitions less than four warps to hide
# the latency of an exchange, 28 clocks for a store and the load that depends on it (`arch/sm_90.toml`, under
# `lds_latency`). Limits then say little about the time.
FEW_WARPS = 16
STORE = 5  # clocks of a store before a load that depends on it: likewise


@dataclass(frozen=True, slots=True)
class Latencies:
    """The clocks of each wait of a warp."""

    memory: float  # a load from the L2 cache
    shared: float  # a load from shared memory
    shuffle: float
    barrier: float  # of a block of the launch's size

    @classmethod
    def of(cls, arch: Architecture, warps: int) -> Latencies | None:
        """Return the latencies of an architecture for blocks of so many warps; None if one is not known."""
        figures = (arch.l2_latency, arch.lds_latency, arch.shfl_latency, arch.barrier_constant, arch.barrier_per_warp)
        if any(figure is None for figure in figures):
            return None
        memory, shared, shuffle, constant, per_warp = (float(figure.value) for figure in figures if figure)
        return cls(memory, shared, shuffle, constant + per_warp * warps)


@dataclass(frozen=True, slots=True)
class Waits:
    """The clocks for which a warp of a launch waits, at most, by what it waits for."""

    memory: float
    shared: float
    shuffles: float
    barriers: float

    @property
    def clocks(self) -> float:
        """All of them, one after another."""
        return self.memory + self.shared + self.shuffles + self.barriers


def waits_of(work: LaunchWork, latencies: Latencies) -> Waits:
    """Return the waits of the warp of a block that waits the most."""
    requests = work.counts.requests
    shuffles, barriers = (
        work.operations(kind) / requests.warps for kind in (WarpOperation.SHUFFLE, WarpOperation.BARRIER)
    )
    return Waits(
        memory=_loads(work, AccessSpace.GLOBAL) * latencies.memory,
        shared=_loads(work, AccessSpace.SHARED) * dependent_share(work) * (latencies.shared + STORE),
        shuffles=shuffles * latencies.shuffle,
        barriers=barriers * latencies.barrier,
    )


def dependent_share(work: LaunchWork) -> float:
    """Return the share of the loads from shared memory that a warp waits for by themselves.

    Between two barriers, of the block or of the warp, loads depend on no store of another thread, and wait together.
    """
    kinds = (WarpOperation.BARRIER, WarpOperation.WARP_BARRIER)
    barriers = sum(map(work.operations, kinds)) / work.counts.requests.warps
    loads = _loads(work, AccessSpace.SHARED)
    return min(1.0, max(1.0, barriers) / loads) if loads else 0.0


def _loads(work: LaunchWork, space: AccessSpace) -> float:
    """Return the loads and atomics of the warp that sends the most, per block."""
    accesses = (one for one in work.counts.requests.accesses if one.space is space)
    return sum(one.most_requests / work.joined(one) for one in accesses if one.kind is not AccessKind.STORE)

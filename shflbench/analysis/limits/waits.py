"""The clocks for which one warp waits, if each of its waits follows the one before: what few warps cannot hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.model import AccessKind, AccessSpace, WarpOperation

if TYPE_CHECKING:
    from shflbench.analysis.limits.launched import LaunchWork
    from shflbench.arch import Architecture

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
    """Return the waits of a warp, on average over the warps of a block."""
    requests = work.counts.requests
    loads = {
        space: sum(
            one.requests / work.joined(one)
            for one in requests.accesses
            if one.space is space and one.kind is not AccessKind.STORE
        )
        for space in AccessSpace
    }
    shuffles, barriers = (work.operations(kind) for kind in (WarpOperation.SHUFFLE, WarpOperation.BARRIER))
    per_warp = 1 / requests.warps
    return Waits(
        memory=loads[AccessSpace.GLOBAL] * per_warp * latencies.memory,
        shared=loads[AccessSpace.SHARED] * per_warp * (latencies.shared + STORE),
        shuffles=shuffles * per_warp * latencies.shuffle,
        barriers=barriers * per_warp * latencies.barrier,
    )

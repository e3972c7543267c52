"""The work of a launch that goes if shuffles take the place of exchanges, and weaker barriers that of others."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import TYPE_CHECKING

from shflbench.analysis.limits.launched import exchange_passes, load_store_clocks
from shflbench.analysis.limits.waits import STORE, Latencies, dependent_share
from shflbench.checker import OUTSIDE_OF_THE_WARP, BarrierNeed, LaneRelation
from shflbench.core.grouping import group_by
from shflbench.core.model import WARP, AccessKind, AccessSpace, WarpOperation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from shflbench.analysis.limits.launched import LaunchWork
    from shflbench.checker import BarrierAdvice, ExchangeAdvice, KernelAdvice
    from shflbench.core.arch import Architecture
    from shflbench.core.model import OperationRequests
    from shflbench.cuda_sources import SourceLine

WORD = 32  # bits that a shuffle moves


@dataclass(frozen=True, slots=True)
class Savings:
    """What the warps of a block no longer do, less what they do instead."""

    passes: float = 0.0  # through the banks, less the shuffles
    load_store: float = 0.0  # clocks of the load/store unit, likewise
    loads: float = 0.0  # requests to shared memory that load
    shuffles: float = 0.0  # instead
    stores: float = 0.0
    arrivals: float = 0.0  # of warps at barriers of the block
    waits: float = 0.0  # of the warp that waits the most: for loads, less those for shuffles, in clocks
    barriers: float = 0.0  # of each warp

    @property
    def instructions(self) -> float:
        """The instructions, but for those that compute addresses or control loops."""
        return self.loads + self.stores + self.arrivals - self.shuffles

    def wait_clocks(self, latencies: Latencies) -> float:
        """Return the clocks for which a warp no longer waits."""
        return self.waits + self.barriers * latencies.barrier


@dataclass(frozen=True, slots=True)
class SavingModel:
    """The exchanges and barriers of a kernel with what its launch was counted to do."""

    advice: KernelAdvice
    work: LaunchWork
    figures: Architecture
    threads: int  # per block

    def of(self, exchanges: Collection[ExchangeAdvice], barriers: Collection[BarrierAdvice]) -> Savings:
        """Return what goes if shuffles replace some exchanges, and some barriers become weaker."""
        loads, shuffles = self._loads(exchanges)
        stores = self._stores(exchanges)
        passes = clocks = added = waits = 0.0
        dependent, latencies = dependent_share(self.work), Latencies.of(self.figures, self._warps)
        removed = {AccessKind.LOAD: 0.0, AccessKind.STORE: 0.0}
        rate = self.figures.load_store.value if self.figures.load_store else 1.0
        for one in self.work.counts.requests.accesses:
            if one.space is not AccessSpace.SHARED or one.kind is AccessKind.ATOMIC:
                continue
            is_load = one.kind is AccessKind.LOAD
            share = _of_line(loads if is_load else stores, one.file, one.line)
            passes += share * exchange_passes(one, self.work)
            clocks += share * load_store_clocks(one, self.work, self.figures)
            removed[one.kind] += share * one.requests / self.work.joined(one)
            if is_load:
                shuffled = _of_line(shuffles, one.file, one.line) * -(-one.bits // WORD)
                added += shuffled * one.requests
            if is_load and latencies:
                loads_awaited = share * one.most_requests / self.work.joined(one) * dependent
                waits += loads_awaited * (latencies.shared + STORE)
                waits -= shuffled * one.most_requests * latencies.shuffle
        arrivals = self._arrivals(exchanges, barriers)
        return Savings(
            passes=passes - added,
            load_store=clocks - added / rate,
            loads=removed[AccessKind.LOAD],
            shuffles=added,
            stores=removed[AccessKind.STORE],
            arrivals=arrivals,
            waits=waits,
            barriers=arrivals / self._warps,
        )

    @property
    def _warps(self) -> int:
        return self.work.counts.requests.warps

    def arrivals_at(self, line: SourceLine) -> float:
        """Return the arrivals at the barriers of a line, per block."""
        return sum(one.requests for one in self._barriers() if _is_at(line, one.file, one.line))

    def _barriers(self) -> Iterator[OperationRequests]:
        return (one for one in self.work.counts.requests.operations if one.kind is WarpOperation.BARRIER)

    def _loads(
        self, exchanges: Collection[ExchangeAdvice]
    ) -> tuple[Mapping[SourceLine, float], Mapping[SourceLine, float]]:
        """Return which share of the loads in a line goes, and how many shuffles come in the place of each load."""
        gone: dict[SourceLine, float] = {}
        shuffles: dict[SourceLine, float] = {}
        for line, items in group_by(self.advice.exchanges, lambda item: item.load).items():
            total = sum(count for item in items for _, count in item.relations)
            for item in items:
                if item not in exchanges or not total:
                    continue
                in_warp, of_thread = _in_warp(item), dict(item.relations).get(LaneRelation.THREAD, 0)
                gone[line] = gone.get(line, 0.0) + (in_warp + of_thread * share_in_warp(item)) / total
                needed = in_warp if item.is_replaceable else in_warp * _shuffles_per_load(item)
                shuffles[line] = shuffles.get(line, 0.0) + needed / total
        return gone, shuffles

    def _stores(self, exchanges: Collection[ExchangeAdvice]) -> dict[SourceLine, float]:
        """Return which share of the stores in a line goes: those whose values no other thread loads any more."""
        stores = {}
        for line, items in group_by(self.advice.exchanges, lambda item: item.store).items():
            needed = [item for item in items if not item.is_of_thread]
            shares = [share_in_warp(item) if item in exchanges else 0.0 for item in needed]
            stores[line] = min(shares, default=0.0)
        return stores

    def _arrivals(self, exchanges: Collection[ExchangeAdvice], barriers: Collection[BarrierAdvice]) -> float:
        """Return the arrivals at barriers that are not needed, with shuffles, or as barriers of the block."""
        gone = {barrier.line: 1.0 for barrier in barriers}
        if exchanges and all(item in exchanges or item.is_of_thread for item in self.advice.exchanges):
            gone |= {item.line: 1.0 for item in self.advice.barriers if item.could_be_weaker}
        steps = [item for item in exchanges if 0 < share_in_warp(item) < 1]
        for barrier in self.advice.barriers if steps else ():
            if barrier.need is BarrierNeed.BLOCK:
                gone.setdefault(barrier.line, max(self._steps(item, barrier.line) for item in steps))
        return sum(share * self.arrivals_at(line) for line, share in gone.items())

    def _steps(self, exchange: ExchangeAdvice, line: SourceLine) -> float:
        """Return the share of the executions of a barrier that steps within a warp need; 0 if it is not one per step.

        Steps whose distances double reach half of the block.
        """
        steps, in_warp = ceil(log2(self.threads)), len(exchange.distances)
        executions = self.arrivals_at(line) / ceil(self.threads / WARP)
        is_per_step = steps > in_warp and executions >= steps and (executions / steps).is_integer()
        return in_warp / steps if is_per_step else 0.0


def share_in_warp(exchange: ExchangeAdvice) -> float:
    """Return the share of the executions in which the values of an exchange stay in the warp."""
    outside = sum(count for relation, count in exchange.relations if relation in OUTSIDE_OF_THE_WARP)
    in_warp = _in_warp(exchange)
    return in_warp / (in_warp + outside) if in_warp else 0.0


def _in_warp(exchange: ExchangeAdvice) -> int:
    """Return the executions in which values come from other lanes of the warp."""
    others = {LaneRelation.THREAD, *OUTSIDE_OF_THE_WARP}
    return sum(count for relation, count in exchange.relations if relation not in others)


def _shuffles_per_load(exchange: ExchangeAdvice) -> int:
    kinds = {relation for relation, _ in exchange.relations}
    return exchange.offered if kinds & {LaneRelation.SEVERAL, LaneRelation.PARTS} else 1


def _of_line(shares: Mapping[SourceLine, float], file: str, number: int) -> float:
    return max((share for line, share in shares.items() if _is_at(line, file, number)), default=0.0)


def _is_at(line: SourceLine, file: str, number: int) -> bool:
    return (line.file.name, line.line) == (file, number)


def suggested(advice: KernelAdvice) -> tuple[Sequence[ExchangeAdvice], Sequence[BarrierAdvice]]:
    """Return the exchanges that could be shuffles, and the barriers that could be weaker or go."""
    exchanges = [item for item in advice.exchanges if item.instead]
    return exchanges, [item for item in advice.barriers if item.could_be_weaker]

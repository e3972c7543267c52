"""Compare kernels of a file that do the same work: which one is predicted to be faster, and what they do differently.

Two kernels do the same work if `bench` would compare them, if they write and read about as many bytes, and if
the blocks that were counted left no different results.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.advice.files.predicted_limits import LATENCY, OVERHEAD
from shflbench.analysis.limits.access_findings import AccessProblem, findings
from shflbench.checker import KernelVerdict
from shflbench.core.grouping import group_by
from shflbench.core.model import AccessKind, AccessSpace, WarpOperation
from shflbench.kernel_facts.launch_results import ComparedBlocks, ResultRelation, relation_of
from shflbench.user_kernels.same_purpose import do_the_same
from shflbench.user_kernels.sequence_buffers import names_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.advice.files.file_gains import KernelGain
    from shflbench.advice.files.predicted_limits import LaunchLimits
    from shflbench.advice.files.prospects import CountedLaunch
    from shflbench.analysis.limits.access_findings import AccessFinding
    from shflbench.checker import KernelAdvice
    from shflbench.core.model import AccessRequests

SAME_TIME = 1.15  # ratios of predicted times below it are no difference: tests allow predictions to err by as much
SAME_AMOUNT = 1.05  # likewise of what was counted, of which a sample of blocks may differ
MOST_READ = 2.0  # times the bytes of another kernel that reads the same inputs, with borders that blocks share
MANY_CONFLICTS = 1.2  # passes through the banks, divided by those without conflicts


class Amount(StrEnum):
    """What a launch does, counted over all its blocks."""

    BLOCKS = "blocks"
    WARPS = "warps"
    LOADS = "requests of warps that load from global memory"
    LOAD_SECTORS = "sectors of 32 bytes that these touch"
    STORES = "requests of warps that store to global memory"
    STORE_SECTORS = "sectors of 32 bytes that these write"
    ATOMICS = "atomic operations on global memory"
    ATOMIC_REQUESTS = "requests of warps for these"
    ATOMIC_SECTORS = "sectors of 32 bytes that these change"
    SHARED = "requests of warps to shared memory"
    SHARED_PASSES = "passes of these through the banks"
    SHARED_FREE = "passes that these would take without bank conflicts"
    SHUFFLES = "shuffles of warps"
    BARRIERS = "arrivals of warps at barriers of the block"


class ExpectedOrder(StrEnum):
    """Which of two kernels is predicted to be faster."""

    SAME = "same"
    FIRST = "first"
    SECOND = "second"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, eq=False)
class ComparedLaunch:
    """One kernel of a comparison at its launch."""

    advice: KernelAdvice
    limits: LaunchLimits
    counted: CountedLaunch
    amounts: Mapping[Amount, float]

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.advice.report.name

    @property
    def us(self) -> float | None:
        """The predicted time of the launch, or a bound of it where latency decides; None if it is not known."""
        limits = self.limits
        if limits.unknown:
            return None
        if limits.by == OVERHEAD:
            return limits.gpu.overhead_us
        if limits.by == LATENCY:
            return None if limits.waits_us is None else limits.gpu.overhead_us + limits.waits_us
        return limits.predicted_us

    @property
    def read_bytes(self) -> float:
        """The bytes of global memory that it reads, each once."""
        return self.counted.counts.footprint.read_bytes

    @property
    def has_few_blocks(self) -> bool:
        """Whether some SMs have no block, and the launch does more than begin."""
        return self.limits.by != OVERHEAD and self.amount(Amount.BLOCKS) < self.limits.gpu.device.sms

    @property
    def worst_conflict(self) -> AccessFinding | None:
        """The line with the most passes because of bank conflicts; None where these are few."""
        if self.amount(Amount.SHARED_PASSES) < MANY_CONFLICTS * self.amount(Amount.SHARED_FREE):
            return None
        known = [item for item in findings(self.counted.counts.requests) if item.kind is AccessProblem.BANK_CONFLICT]
        return max(known, key=lambda item: item.requests * (item.per_request - item.least), default=None)

    def amount(self, name: Amount) -> float:
        """Return an amount; 0 if there is none."""
        return self.amounts.get(name, 0.0)

    def part(self, unit: str) -> float:
        """Return the time of a unit, in µs."""
        return self.limits.parts.get(unit, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class AdvisedPair:
    """Two kernels of a file that do the same work, in the order of the file."""

    first: ComparedLaunch
    second: ComparedLaunch
    results: ResultRelation

    @property
    def ratio(self) -> float | None:
        """The time of the slower one divided by that of the faster one; None if one is not known."""
        one, other = self.first.us, self.second.us
        return max(one, other) / min(one, other) if one and other else None

    @property
    def order(self) -> ExpectedOrder:
        """Which one is predicted to be faster."""
        one, other, ratio = self.first.us, self.second.us, self.ratio
        if ratio is None or one is None or other is None or self.depends_on_waits:
            return ExpectedOrder.UNKNOWN
        if ratio < SAME_TIME:
            return ExpectedOrder.SAME
        return ExpectedOrder.FIRST if one < other else ExpectedOrder.SECOND

    @property
    def depends_on_waits(self) -> bool:
        """Whether waits decide that nothing hides, of which only a bound is known: those of a chain of loads, say."""
        return any(item.has_few_blocks or item.limits.by == LATENCY for item in (self.first, self.second))

    @property
    def slower(self) -> ComparedLaunch:
        """The one with the longer time; the second one if both are equal or not known."""
        one, other = self.first.us, self.second.us
        return self.first if one is not None and other is not None and one > other else self.second

    @property
    def faster(self) -> ComparedLaunch:
        """The other one."""
        return self.second if self.slower is self.first else self.first

    @property
    def different_amounts(self) -> tuple[Amount, ...]:
        """What one of them does more of."""
        return tuple(name for name in Amount if self.differs(name))

    def differs(self, name: Amount) -> bool:
        """Whether one of them does more of something."""
        return not about_equal(self.first.amount(name), self.second.amount(name))


def about_equal(one: float, other: float, ratio: float = SAME_AMOUNT) -> bool:
    """Whether two amounts differ by less than a factor."""
    return max(one, other) <= ratio * min(one, other)


def kernel_pairs(advice: Sequence[KernelAdvice], gains: Mapping[str, KernelGain]) -> list[AdvisedPair]:
    """Return the kernels of each file that do the same work, each with the last one before it that does."""
    pairs = []
    for items in group_by(advice, lambda item: item.report.place.file).values():
        launches = list(_launches(items, gains))
        for place, launch in enumerate(launches):
            earlier = (_pair(other, launch) for other in reversed(launches[:place]))
            if pair := next(filter(None, earlier), None):
                pairs.append(pair)
    return pairs


def _launches(advice: Sequence[KernelAdvice], gains: Mapping[str, KernelGain]) -> Iterator[ComparedLaunch]:
    """Yield the kernels of which is known what limits them, in the order of the file.

    One that took too long to check may be right, and what it computes is compared.
    """
    for item in advice:
        gain = gains.get(item.report.symbol)
        if gain is None or gain.prospect.limits is None or gain.prospect.counted is None:
            continue
        if item.missing and item.report.verdict is not KernelVerdict.NOT_CHECKED:
            continue
        counted = gain.prospect.counted
        yield ComparedLaunch(item, gain.prospect.limits, counted, amounts_of(counted))


def _pair(one: ComparedLaunch, other: ComparedLaunch) -> AdvisedPair | None:
    """Return two kernels if they do the same work."""
    mine, theirs = one.counted, other.counted
    if mine.candidate is theirs.candidate or not do_the_same(mine.candidate, theirs.candidate):
        return None
    stored = [item.counts.footprint.written_bytes for item in (mine, theirs)]
    if not about_equal(*stored) or not about_equal(one.read_bytes, other.read_bytes, MOST_READ):
        return None
    if not _have_same_buffers(mine, theirs):
        return None
    results = _results(mine, theirs)
    is_open = results is ResultRelation.UNKNOWN and (one.advice.missing or other.advice.missing)
    return None if is_open or results is ResultRelation.DIFFERENT else AdvisedPair(one, other, results)


def _have_same_buffers(one: CountedLaunch, other: CountedLaunch) -> bool:
    names = names_in(one.candidate.launches[0], other.candidate.launches[0], "")
    theirs = {names.get(name, "") for name in (*other.results.inputs, *other.results.outputs)}
    return theirs == {*one.results.inputs, *one.results.outputs}


def _results(one: CountedLaunch, other: CountedLaunch) -> ResultRelation:
    first, second = one.candidate.launches[0], other.candidate.launches[0]
    blocks = ComparedBlocks(
        are_all=not (one.counts.is_sample or other.counts.is_sample),
        are_same=(first.grid, first.block) == (second.grid, second.block),
        add_up=any(_is_of(access, AccessKind.ATOMIC) for item in (one, other) for access in _accesses(item)),
    )
    return relation_of(one.results, other.results, names_in(first, second, ""), blocks)


def _accesses(launch: CountedLaunch) -> tuple[AccessRequests, ...]:
    return launch.counts.requests.accesses


def _is_of(access: AccessRequests, kind: AccessKind) -> bool:
    return access.space is AccessSpace.GLOBAL and access.kind is kind


def amounts_of(launch: CountedLaunch) -> dict[Amount, float]:
    """Return what a launch does, over all its blocks; what it does not do is left out."""
    counts = launch.counts
    requests, grid = counts.requests, counts.grid
    by_kind = {
        kind: [one for one in requests.accesses if one.space is AccessSpace.GLOBAL and one.kind is kind]
        for kind in AccessKind
    }
    shared = [one for one in requests.accesses if one.space is AccessSpace.SHARED]
    loads, stores, atomics = by_kind[AccessKind.LOAD], by_kind[AccessKind.STORE], by_kind[AccessKind.ATOMIC]
    per_block = {
        Amount.BLOCKS: 1.0,
        Amount.WARPS: float(requests.warps),
        Amount.LOADS: sum(one.requests for one in loads),
        Amount.LOAD_SECTORS: sum(one.requests * (one.sectors or 0.0) for one in loads),
        Amount.STORES: sum(one.requests for one in stores),
        Amount.STORE_SECTORS: sum(one.requests * (one.sectors or 0.0) for one in stores),
        Amount.ATOMICS: sum(one.requests * one.lanes for one in atomics),
        Amount.ATOMIC_REQUESTS: sum(one.requests for one in atomics),
        Amount.ATOMIC_SECTORS: sum(one.requests * (one.sectors or 0.0) for one in atomics),
        Amount.SHARED: sum(one.requests for one in shared),
        Amount.SHARED_PASSES: sum(one.requests * (one.passes or 0.0) for one in shared),
        Amount.SHARED_FREE: sum(one.requests * (one.conflict_free_passes or 0.0) for one in shared),
        Amount.SHUFFLES: _operations(launch, WarpOperation.SHUFFLE),
        Amount.BARRIERS: _operations(launch, WarpOperation.BARRIER),
    }
    return {name: number * grid for name, number in per_block.items() if number}


def _operations(launch: CountedLaunch, kind: WarpOperation) -> float:
    return sum(one.requests for one in launch.counts.requests.operations if one.kind is kind)

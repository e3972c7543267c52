"""Predict whether the changes that advice suggests are worth it: from the limits of the kernel before and after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.advice.files.predicted_limits import (
    LATENCY,
    OVERHEAD,
    WAITS,
    LaunchLimits,
    largest,
    limits_of_launch,
    predicted_us,
)
from shflbench.advice.files.savings import SavingModel, Savings, suggested
from shflbench.analysis.limits import ISSUE, ExecutionUnit
from shflbench.analysis.limits.bound import LOAD_STORE
from shflbench.analysis.limits.launched import LaunchWork
from shflbench.analysis.limits.waits import Latencies
from shflbench.core.environment import cache_folder
from shflbench.core.model import Kernel, MeasureRules
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.certain_code import one_pass_code
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.errors import ShflbenchError
from shflbench.kernel_facts.launch_counts import counts_and_results_of
from shflbench.kernel_facts.residency import occupancy_of
from shflbench.patterns.discover import load
from shflbench.user_kernels.comparison import choose
from shflbench.user_kernels.stored_pattern import Equality
from shflbench.user_kernels.suite import BenchSettings, suite_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.advice.files.predicted_gpu import PredictedGpu
    from shflbench.checker import BarrierAdvice, CandidateFile, ExchangeAdvice, KernelAdvice, KernelCandidate
    from shflbench.core.arch.residency import Occupancy
    from shflbench.core.model import Case, LaunchCounts
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.kernel_facts.launch_results import LaunchResults

LEAST_GAIN = 1.03  # below it, the predicted times of both versions count as equal
LEAST_OF_FEW = 1.05  # likewise where few warps are resident, of which only a bound of the gain is known
LEAST_ISSUE = 0.01  # of the issue slots: a change that takes fewer away changes nothing
NO_GPU = "no figures of a GPU of this architecture are known"


@dataclass(frozen=True, slots=True)
class PredictedGain:
    """What one change, or several, are predicted to bring to a kernel."""

    value: float | None = None  # the time of the launch divided by that with the change; 1 where nothing changes
    by: str = ""  # what limits the kernel
    later_by: str = ""  # what would limit it then
    reason: str = ""  # why the value is not known
    later_us: float | None = None  # the time of the launch then, about
    at_most: float | None = None  # a bound of the value, where few warps are resident


@dataclass(frozen=True, slots=True)
class Prospect:
    """Whether it is worth it to change a kernel."""

    limits: LaunchLimits | None = None  # None where it is not known what limits the kernel
    reason: str = ""  # why not
    exchanges: tuple[tuple[ExchangeAdvice, PredictedGain], ...] = ()  # each by itself
    barriers: tuple[tuple[BarrierAdvice, PredictedGain], ...] = ()  # likewise
    together: PredictedGain = PredictedGain()
    saved_bytes: int = 0  # of shared memory per block
    occupancy: Occupancy | None = None
    later_occupancy: Occupancy | None = None  # without that memory
    counted: CountedLaunch | None = None  # None where no launch could be counted

    @property
    def has_changes(self) -> bool:
        """Whether advice suggests any change."""
        return bool(self.exchanges or self.barriers)


@dataclass(frozen=True, slots=True)
class ExchangePlace:
    """Where a prediction is for: the compiler, the architecture, and the GPU if one is known."""

    toolchain: Toolchain
    arch: str
    gpu: PredictedGpu | None
    candidates: CandidateFile | ShflbenchError | None = None  # the kernel with its launches, or why it cannot be read


@dataclass(frozen=True, slots=True)
class CountedLaunch:
    """The first launch of a kernel that can be timed, its machine code, and what the launch does."""

    case: Case
    kernel: Kernel
    candidate: KernelCandidate  # of which it is the first launch
    counts: LaunchCounts
    results: LaunchResults

    @property
    def text(self) -> str:
        """The launch, as `--launch` takes it."""
        return self.case.launch.expression.replace(" ", "")


def prospect_of(advice: KernelAdvice, place: ExchangePlace) -> Prospect:
    """Return what limits a kernel at its launch, and what the changes are predicted to bring that advice suggests."""
    try:
        launch = _counted(advice, place)
    except ShflbenchError as error:
        return _without_limits(Prospect(reason=error.message), advice)
    whole = launch.kernel.resources.shared_bytes + _dynamic_bytes(advice)
    saved = whole if _is_all_replaceable(advice) else 0
    before, after = (
        occupancy_of(place.arch, launch.kernel.resources.registers, size, launch.case.launch.block)
        for size in (whole, whole - saved)
    )
    known = Prospect(saved_bytes=saved, occupancy=before, later_occupancy=after, counted=launch)
    gpu, sass = place.gpu, launch.kernel.sass
    if gpu is None or sass is None:
        return _without_limits(replace(known, reason=NO_GPU), advice)
    work = LaunchWork(one_pass_code(sass, kernel_code(launch.kernel.cubin)[launch.kernel.symbol]), launch.counts)
    limits = limits_of_launch(work, gpu, launch.text, before)
    if limits is None:
        return _without_limits(replace(known, reason="no rate is known for anything that it does"), advice)
    return _with_gains(replace(known, limits=limits), advice, work, launch.case.launch.block)


def _counted(advice: KernelAdvice, place: ExchangePlace) -> CountedLaunch:
    file, candidates = advice.report.place.file, place.candidates
    if isinstance(candidates, ShflbenchError):
        raise candidates
    if candidates is None:
        raise ShflbenchError("no launch of it can be timed")
    choice = choose(candidates, named=True)
    if not choice.comparisons:
        raise ShflbenchError(next((item.sentence for item in choice.left_out), "it cannot be timed"))
    with TemporaryDirectory(prefix="shflbench-") as folder:
        settings = BenchSettings(MeasureRules(), Equality(0.0))
        suite = suite_of(file, choice.comparisons[:1], settings, Path(folder))
        case = suite.cases[0]
        pattern = load(suite.pattern_folders[case.pattern])
        builder = Builder(place.toolchain, place.arch, cache_folder())
        ((_, kernel),) = builder.build_all({case: builder.request(pattern, case)})
        if not isinstance(kernel, Kernel):
            raise kernel
        candidate = choice.comparisons[0].kernels[0].candidate
        return CountedLaunch(case, kernel, candidate, *counts_and_results_of(pattern, case, kernel))


def _dynamic_bytes(advice: KernelAdvice) -> int:
    return max((item.arguments.shared_bytes for item in advice.runs.launches), default=0) if advice.runs else 0


def _is_all_replaceable(advice: KernelAdvice) -> bool:
    """Whether a kernel needs no shared memory with shuffles; what a thread itself wrote can be a register."""
    replaced = any(item.is_replaceable for item in advice.exchanges)
    return replaced and all(item.is_replaceable or item.is_of_thread for item in advice.exchanges)


def _without_limits(known: Prospect, advice: KernelAdvice) -> Prospect:
    """Return a prospect with unknown gains."""
    gain = PredictedGain(reason=known.reason)
    exchanges, barriers = suggested(advice)
    return replace(
        known,
        exchanges=tuple((item, gain) for item in exchanges),
        barriers=tuple((item, gain) for item in barriers),
        together=gain,
    )


def _with_gains(known: Prospect, advice: KernelAdvice, work: LaunchWork, threads: int) -> Prospect:
    assert known.limits is not None  # noqa: S101  (the caller has found them)
    limits = known.limits
    model = SavingModel(advice, work, limits.gpu.figures, threads)
    exchanges, barriers = suggested(advice)
    before, after = known.occupancy, known.later_occupancy
    is_fuller = limits.depends_on_waits and bool(before and after and after.warps > before.warps)

    def of_exchanges(items: Sequence[ExchangeAdvice], weaker: Sequence[BarrierAdvice] = ()) -> PredictedGain:
        if is_fuller and items:
            return PredictedGain(by=limits.by, reason=f"{LATENCY} decides, and more warps are resident then")
        return gain_of(limits, work, model.of(items, weaker))

    def of_barrier(item: BarrierAdvice) -> PredictedGain:
        if not model.arrivals_at(item.line):
            return PredictedGain(by=limits.by, reason="the launch was not counted to execute it")
        return gain_of(limits, work, model.of((), (item,)))

    return replace(
        known,
        exchanges=tuple((item, of_exchanges((item,))) for item in exchanges),
        barriers=tuple((item, of_barrier(item)) for item in barriers),
        together=of_exchanges(exchanges, barriers),
    )


def gain_of(limits: LaunchLimits, work: LaunchWork, savings: Savings) -> PredictedGain:
    """Return what a launch is predicted to gain if it no longer does something."""
    if limits.depends_on_waits:
        return _of_few_warps(limits, work, savings)
    known = PredictedGain(by=limits.by)
    if limits.unknown:
        return replace(known, reason=limits.unknown)
    later = _later(limits, work, savings)
    if limits.unit == ISSUE and limits.by != OVERHEAD:
        return _of_issue_slots(known, work, savings, limits)
    later_us = predicted_us(later, limits.gpu)
    gain = limits.predicted_us / later_us
    known = replace(known, later_us=later_us)
    is_same = gain < LEAST_GAIN
    return replace(known, value=1.0 if is_same else gain, later_by=limits.by if is_same else largest(later))


def _of_issue_slots(known: PredictedGain, work: LaunchWork, savings: Savings, limits: LaunchLimits) -> PredictedGain:
    """Return the gain where issue slots limit a kernel, of which the instructions for addresses are not known."""
    blocks, figures = max(work.counts.grid / limits.gpu.device.sms, 1.0), limits.gpu.figures
    slots = limits.parts[ISSUE] * limits.gpu.device.clock_mhz
    parts = figures.sub_partitions.value if figures.sub_partitions else 1
    share = blocks * savings.instructions / parts / slots if slots else 0.0
    if share < LEAST_ISSUE:
        return replace(known, value=1.0, later_by=ISSUE)
    return replace(known, reason=f"issue slots limit it, of which the change saves {share:.0%} or more")


def _of_few_warps(limits: LaunchLimits, work: LaunchWork, savings: Savings) -> PredictedGain:
    """Return the gain where latencies decide: nothing if the waits that go are few beside the overhead and one load."""
    known = PredictedGain(by=limits.by)
    latencies = Latencies.of(limits.gpu.figures, work.counts.requests.warps)
    if limits.waits is None or latencies is None:
        return replace(known, reason=f"{LATENCY} decides, of which the figures are not known")
    waves = limits.waits_us or 0.0
    per_clock = waves / limits.waits.clocks if limits.waits.clocks else 0.0
    saved = savings.wait_clocks(latencies)
    now = min(limits.waits.memory, latencies.memory) + limits.waits.shared + limits.waits.barriers
    now += limits.waits.shuffles
    overhead = limits.gpu.overhead_us
    at_most = (overhead + now * per_clock) / (overhead + max(0.0, now - saved) * per_clock)
    if at_most < LEAST_OF_FEW:
        return replace(known, value=1.0, later_by=limits.by, at_most=at_most)
    return replace(known, reason=f"{LATENCY} decides; at most {at_most:.2f}×", at_most=at_most)


def _later(limits: LaunchLimits, work: LaunchWork, savings: Savings) -> dict[str, float]:
    """Return the time of each unit with a change. Instructions that go count on, which predicts too little."""
    figures, clock = limits.gpu.figures, limits.gpu.device.clock_mhz
    blocks = max(work.counts.grid / limits.gpu.device.sms, 1.0)
    later = dict(limits.parts)

    def less(name: str, clocks: float) -> None:
        if name in later:
            later[name] = max(0.0, later[name] - blocks * clocks / clock)

    if path := figures.exchange or figures.shared_memory:
        less(ExecutionUnit.EXCHANGE, savings.passes / path.value)
    less(LOAD_STORE, savings.load_store)
    if figures.barrier:
        less(ExecutionUnit.BARRIER, savings.arrivals / figures.barrier.value)
    latencies = Latencies.of(figures, work.counts.requests.warps)
    for name in WAITS:
        if name in later and latencies:
            later[name] = max(0.0, later[name] - max(1.0, limits.rounds) * savings.wait_clocks(latencies) / clock)
    return later

"""Limits and predictions of challengers and published variants, from their machine code, for machines without a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.arch.launch_limits import LIMITS
from shflbench.core.launch import Unit, parse_launch, split_launch
from shflbench.core.model import Case
from shflbench.cuda.compile.nested_loops import has_inner_loop
from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
from shflbench.kernel_facts.predicted_kernels import common_blocks, predicted_kernels
from shflbench.kernel_facts.residency import ResidentBlocks
from shflbench.patterns.discover import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.reporter import Reporter
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.user_kernels.challenge.folder import ChallengeFiles
    from shflbench.user_kernels.challenge.prepare import Challenge

MOST_SMS = 132  # of an architecture without figures: those of an H100


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedVariant:
    """A variant in one setting: instructions and cycles are those of one iteration of all warps of an SM."""

    variant: str
    mechanism: str
    is_challenger: bool
    instructions: float | None
    limit_cycles: float | None
    limit_by: str
    predicted_cycles: float | None
    remark: str  # why there is no limit

    @property
    def cycles(self) -> float | None:
        """What the variant is ranked by: its prediction, or else its limit."""
        return self.predicted_cycles if self.predicted_cycles is not None else self.limit_cycles


@dataclass(frozen=True, slots=True)
class EstimatedSetting:
    """The estimates of the variants at one launch, fewest cycles first."""

    launch: str
    arch: str
    variants: tuple[EstimatedVariant, ...]

    @property
    def is_predicted(self) -> bool:
        """Whether all variants with a limit have a prediction, too."""
        return all(one.predicted_cycles is not None for one in self.variants if one.limit_cycles is not None)

    def published_best(self) -> Mapping[str, EstimatedVariant]:
        """Return the published variant with the fewest cycles of each mechanism."""
        best: dict[str, EstimatedVariant] = {}
        for one in self.variants:
            if not one.is_challenger and one.cycles is not None:
                best.setdefault(one.mechanism, one)
        return best


def estimates_of(
    challenge: Challenge, files: ChallengeFiles, toolchain: Toolchain, arch: str, reporter: Reporter
) -> Iterator[EstimatedSetting]:
    """Yield the estimates at each launch; at launches with the same warps per SM, they are the same."""
    estimator = _Estimator(challenge, files, toolchain, arch, reporter)
    known: dict[ResidentBlocks, tuple[EstimatedVariant, ...]] = {}
    for launch in challenge.settings.launches:
        resident = estimator.resident(launch.expression)
        if resident not in known:
            known[resident] = estimator.at(resident)
        yield EstimatedSetting(launch.expression, arch, known[resident])


@dataclass(frozen=True, slots=True)
class _Estimator:
    """Compiles the variants of a challenge for one architecture."""

    challenge: Challenge
    files: ChallengeFiles
    toolchain: Toolchain
    arch: str
    reporter: Reporter

    def resident(self, expression: str) -> ResidentBlocks:
        """Return the blocks that an SM executes at a time in a launch, at most as many as fit of every variant."""
        grid, block = split_launch(expression)
        sms = LIMITS[self.arch].sms if self.arch in LIMITS else MOST_SMS
        subjects = self._subjects(expression)
        fitting = common_blocks(self.toolchain, subjects, self.arch, block.threads, self.reporter)
        wanted = fitting if grid.unit is Unit.FILL else -(-grid.blocks(sms, None) // sms)
        return ResidentBlocks(min(wanted, fitting), block.threads)

    def at(self, resident: ResidentBlocks) -> tuple[EstimatedVariant, ...]:
        """Return the estimates with these blocks per SM."""
        subjects = self._subjects(f"{resident.blocks}*sms x {resident.threads}")
        inspected = predicted_kernels(self.toolchain, subjects, self.arch, resident, self.reporter)
        return tuple(sorted(map(self._estimated, inspected), key=_rank))

    def _subjects(self, expression: str) -> Sequence[KernelSubject]:
        challenged, pattern = self.challenge.challenged, load(self.files.pattern)
        names = [*(variant.name for variant in challenged.rivals), *self.challenge.names]
        options = tuple(challenged.options.items())
        launch = parse_launch(expression)
        return [
            KernelSubject(pattern, Case(challenged.name, name, challenged.dtype.name, launch, 1, options))
            for name in names
        ]

    def _estimated(self, one: InspectedKernel) -> EstimatedVariant:
        variant = one.subject.variant
        reason = _no_estimate(one)
        return EstimatedVariant(
            variant=variant.name,
            mechanism=variant.mechanism,
            is_challenger=variant.name in self.challenge.names,
            instructions=one.instructions if one.facts and not reason else None,
            limit_cycles=None if reason else one.cycles,
            limit_by="" if reason else one.limit_by,
            predicted_cycles=one.predicted.cycles if one.predicted and not reason else None,
            remark=reason or one.remark or (one.error.splitlines() or [""])[0],
        )


def _no_estimate(one: InspectedKernel) -> str:
    """Return why figures of a kernel's code would be misleading; empty if they are not."""
    if one.occupancy and not one.occupancy.blocks:
        return f"a block of {one.block} threads does not fit an SM"
    kernel = one.kernel
    if kernel and kernel.sass and kernel.loop and has_inner_loop(kernel.sass, kernel.loop):
        return "no limit: its timed loop contains a loop, and how often that iterates is not known"
    return ""


def _rank(one: EstimatedVariant) -> tuple[bool, float, str]:
    return one.cycles is None, one.cycles or 0.0, one.variant

"""The candidates of a setting, ranked by the limit model before anything is measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.advice.tuner.rules import count_iterations, leave_out
from shflbench.core.arch.residency import BLOCKS, WARPS
from shflbench.core.launch import parse_launch, resolve_grid
from shflbench.core.model import Case, Mechanism
from shflbench.core.words import count_noun, join_words, one_or_many
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.errors import UsageError
from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
from shflbench.kernel_facts.predicted_kernels import common_blocks, predicted_kernels
from shflbench.kernel_facts.residency import ResidentBlocks
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.advice.tuner.request import TuneRequest
    from shflbench.core.arch.residency import Occupancy
    from shflbench.core.model import Target
    from shflbench.core.reporter import Reporter
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.patterns.declare import Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCandidate:
    """A variant or a member of the family at one launch, with what the model says of it; None where it says nothing."""

    variant: str
    mechanism: Mechanism
    is_member: bool  # of the family; otherwise a variant of the pattern
    limit_cycles: float | None
    predicted_cycles: float | None
    left_out: str = ""  # why it is not measured
    has_failed: bool = False  # to compile

    @property
    def kind(self) -> str:
        """What it is compared with before all else: members, or variants of the pattern, with the same mechanism."""
        return f"{self.mechanism.value} {'member' if self.is_member else 'variant'}"


@dataclass(frozen=True, slots=True)
class RankedSetting:
    """The candidates at one launch."""

    launch: str
    iterations: int  # per launch
    candidates: tuple[RankedCandidate, ...]  # in the order of their predictions, or limits

    @property
    def measured(self) -> tuple[RankedCandidate, ...]:
        """Those that are measured."""
        return tuple(one for one in self.candidates if not one.left_out)


def rank(request: TuneRequest, launch: str, arch: str, sms: int | None, reporter: Reporter) -> RankedSetting:
    """Return the ranked candidates at a launch; `sms` of the device, None if it is not known.

    UsageError where the blocks per SM are not known. Uses all cores.
    """
    toolchain = find_toolchain()
    toolchain.require(arch)
    reporter.say(f"{launch}: ranking by the limit model of {arch}.")
    pattern = load(builtin()[request.pattern])
    parsed = parse_launch(launch)
    options = tuple(request.options.items())
    subjects = [
        KernelSubject(pattern, Case(request.pattern, name, request.dtype, parsed, 1, options))
        for name in _names(pattern.declaration, request)
    ]
    if launch.startswith("fill"):
        blocks = common_blocks(toolchain, subjects, arch, parsed.block, reporter)
    else:
        blocks = _blocks_per_sm(launch, parsed.grid, sms)
    inspected = predicted_kernels(toolchain, subjects, arch, ResidentBlocks(blocks, parsed.block), reporter)
    candidates = sorted((_candidate(one, toolchain.target(arch), blocks) for one in inspected), key=_cycles)
    reasons = leave_out(
        {one.variant: one.predicted_cycles for one in candidates if not one.left_out},
        {one.variant: one.kind for one in candidates},
    )
    known = (replace(one, left_out=one.left_out or reasons[one.variant]) for one in candidates)
    iterations = request.iterations or count_iterations(_cycles(candidates[0])[0], pattern.declaration.unroll)
    return RankedSetting(launch, iterations, tuple(known))


def _names(declared: Pattern, request: TuneRequest) -> Iterator[str]:
    """Yield the safe variants for the setting that are no library calls, then the members of the family."""
    for variant in (*declared.variants, *(member.variant for member in declared.members.values())):
        is_rival = variant.safe and variant.mechanism is not Mechanism.LIBRARY and not variant.other_layout
        if is_rival and variant.has(request.dtype, request.options):
            yield variant.name


def _blocks_per_sm(launch: str, grid: int | None, sms: int | None) -> int:
    if sms is None and grid is not None:
        raise UsageError(
            f"--launch {launch} says no blocks per SM without a GPU", "write it as `2*sms x 256`, or give --sms"
        )
    sms = sms or 1
    return -(-(grid or resolve_grid(launch, sms, None)) // sms)


def _candidate(one: InspectedKernel, target: Target, blocks: int) -> RankedCandidate:
    variant = one.subject.variant
    left_out = f"does not compile: {one.error}" if one.error else variant.unsupported_reason(target)
    if one.occupancy and not left_out:
        left_out = unfit_reason(one.occupancy, blocks)
    return RankedCandidate(
        variant=variant.name,
        mechanism=variant.mechanism,
        is_member=one.subject.pattern.declaration.has_member(variant.name),
        limit_cycles=one.cycles,
        predicted_cycles=one.predicted.cycles if one.predicted else None,
        left_out=left_out,
        has_failed=bool(one.error),
    )


def unfit_reason(occupancy: Occupancy, blocks: int) -> str:
    """Return why a kernel cannot have so many blocks per SM resident, empty if it can.

    Where the threads alone are too many, all kernels take them in turns, and none is unfit.
    """
    if occupancy.blocks >= min(blocks, occupancy.blocks_by[WARPS], occupancy.blocks_by[BLOCKS]):
        return ""
    needs = join_words([f"its {resource}" for resource in occupancy.limited_by])
    if not occupancy.blocks:
        return f"a block does not fit an SM, because of {needs}"
    fitting = f"{count_noun(occupancy.blocks, 'block')} {one_or_many(occupancy.blocks, 'fits', 'fit')} an SM"
    return f"{fitting}, because of {needs}, and the launch has {blocks} per SM"


def _cycles(one: RankedCandidate) -> tuple[float, str]:
    return one.predicted_cycles or one.limit_cycles or float("inf"), one.variant

"""Inspect the machine code of one kernel on one architecture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits.access_findings import findings
from shflbench.core.grouping import group_by
from shflbench.core.launch import OWN
from shflbench.core.model import AccessKind, AccessSpace
from shflbench.errors import KernelError
from shflbench.kernel_facts.residency import occupancy_of
from shflbench.measure.workload import setting_of, shared_bytes
from shflbench.patterns.declare import LAUNCH_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.analysis.limits.access_findings import AccessFinding
    from shflbench.core.arch.residency import Occupancy
    from shflbench.core.model import Kernel, Target
    from shflbench.kernel_facts.facts import KernelFacts, LoopFacts
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
    from shflbench.kernel_facts.residency import ResidentBlocks
    from shflbench.store import Row
    from shflbench.store.counts_file import CaseCounts
    from shflbench.store.limits_file import CaseLimit


@dataclass(frozen=True, slots=True)
class CycleEstimate:
    """Cycles per iteration of all resident warps; None where there is no estimate, of which `reason` says why."""

    cycles: float | None
    by: str = ""  # what sets a ceiling
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RecordedLaunch:
    """What a run recorded of a kernel at one launch."""

    row: Row
    limit: CaseLimit | None
    counts: CaseCounts | None  # None in runs that counted nothing

    @property
    def shape(self) -> str:
        """The launch, also where each kernel of a group has its own."""
        row = self.row
        return f"{row.grid}x{row.block}" if row.launch.startswith(OWN) else row.launch

    @property
    def launch_options(self) -> tuple[str, ...]:
        """The options that change the launch and not the kernel, such as `l2=cold`."""
        return tuple(f"{name}={value}" for name, value in self.row.options if name in LAUNCH_OPTIONS)


@dataclass(frozen=True, slots=True)
class InspectedKernel:
    """One kernel; None where something is not known, of which `remark` is the reason."""

    subject: KernelSubject
    arch: str
    facts: KernelFacts | None = None
    block: int = 0  # threads per block, for shared memory and occupancy
    shared_bytes: int = 0  # per block, static and dynamic
    occupancy: Occupancy | None = None
    requested_blocks: int = 0  # that an SM executes at a time, as the user wants it
    remark: str = ""
    error: str = ""  # why it does not compile
    kernel: Kernel | None = None  # only where its instructions are shown
    accesses: tuple[AccessFinding, ...] | None = None  # None where accesses were not counted
    uncounted: str = ""  # why accesses could not be counted
    ceiling: CycleEstimate | None = None  # None where it was not asked for, or where there is no limit
    predicted: CycleEstimate | None = None  # likewise
    recorded: RecordedLaunch | None = None  # of a kernel without a timed loop that a run executed

    @property
    def loop(self) -> LoopFacts | None:
        """The timed loop."""
        return self.facts.loop if self.facts else None

    @property
    def units(self) -> Mapping[str, float]:
        """Unit → instructions per warp and iteration, or in the whole code if there is no timed loop."""
        return self.loop.units if self.loop else self.facts.code if self.facts else {}

    @property
    def instructions(self) -> float:
        """The sum over all units."""
        return self.loop.instructions if self.loop else sum(self.units.values())

    @property
    def in_loops(self) -> int:
        """The instructions among them that a loop repeats; 0 if there is a timed loop."""
        return self.facts.in_loops if self.facts and not self.loop else 0

    @property
    def cycles(self) -> float | None:
        """The limit in cycles per iteration."""
        return self.loop.limit_cycles if self.loop else None

    @property
    def time_us(self) -> float | None:
        """The time of one launch that a run measured."""
        return self.recorded.row.time_us if self.recorded else None

    @property
    def limit_us(self) -> float | None:
        """The limit of that launch."""
        return self.recorded.limit.limit_us if self.recorded and self.recorded.limit else None

    def accesses_per_thread(self, kind: AccessKind) -> str:
        """Return the loads or stores of global memory of a recorded launch per thread, `4 of 32 bits`, on average."""
        known = self.recorded.counts if self.recorded else None
        if known is None or known.counts is None:
            return ""
        accesses = known.counts.requests.accesses
        chosen = [one for one in accesses if one.space is AccessSpace.GLOBAL and one.kind is kind]
        per_block = {
            bits: sum(one.requests * one.lanes for one in of_width)
            for bits, of_width in sorted(group_by(chosen, lambda one: one.bits).items())
        }
        return ", ".join(f"{number / self.block:.3g} of {bits} bits" for bits, number in per_block.items())

    @property
    def counted(self) -> str:
        """The blocks of a recorded launch in which accesses were counted, in words; empty without a count."""
        known = self.recorded.counts if self.recorded else None
        return known.counts.basis if known and known.counts else ""

    @property
    def limit_mark(self) -> str:
        """The sign before that limit where it is an estimate."""
        return self.recorded.limit.mark if self.recorded and self.recorded.limit else ""

    @property
    def limit_by(self) -> str:
        """What sets the limit, in cycles or of a launch."""
        if self.recorded and self.recorded.limit:
            return self.recorded.limit.limit_by or ""
        return (self.loop.limit_by or "") if self.loop else ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Why something that was asked for is not known, in sentences."""
        reasons = {
            "its memory accesses are not counted": self.uncounted,
            "no ceiling": self.ceiling.reason if self.ceiling else "",
            "no prediction": self.predicted.reason if self.predicted else "",
        }
        return tuple(f"{sentence}: {reason}" for sentence, reason in reasons.items() if reason)


def skipped(subject: KernelSubject, target: Target) -> InspectedKernel:
    """Return what is known of a kernel that cannot be compiled for `target`: why."""
    reason = subject.variant.unsupported_reason(target).removeprefix(f"{subject.variant.name} ")
    return InspectedKernel(subject, target.arch, remark=f"skipped: {reason}")


def inspect(
    subject: KernelSubject, facts: KernelFacts | KernelError, arch: str, wanted: ResidentBlocks
) -> InspectedKernel:
    """Return what is known of a kernel in blocks of the wanted size, or of a size near it that the pattern supports.

    Blocks of several dimensions are those of the subject. PatternError where a function of the pattern fails.
    """
    if isinstance(facts, KernelError):
        return InspectedKernel(subject, arch, error=facts.message)
    case = subject.case
    if case.launch.dims is None:
        sizes = subject.pattern.declaration.block_sizes or (wanted.threads,)
        block = min(sizes, key=lambda size: abs(size - wanted.threads))
        case = replace(case, launch=replace(case.launch, block=block))
    block = case.launch.block
    with subject.pattern.calling("PATTERN"):
        setting = setting_of(case, grid=1)
        shared = facts.static_shared_bytes + shared_bytes(subject.variant, case, setting)
        dims = subject.variant.launch_dims(setting)
    block = dims.threads_per_block if dims else block
    resident = _resident(facts, arch, shared, block)
    return InspectedKernel(subject, arch, facts, block, shared, resident, wanted.blocks, facts.remark)


def inspect_recorded(
    subject: KernelSubject, facts: KernelFacts, arch: str, recorded: RecordedLaunch
) -> InspectedKernel:
    """Return what is known of a kernel at the launch of a run."""
    block, shared = recorded.row.block, recorded.row.shared_bytes or 0
    resident, remark = _resident(facts, arch, shared, block), facts.remark
    if recorded.limit:
        remark = f"no limit: {recorded.limit.limit_reason}" if recorded.limit.limit_reason else ""
    elif recorded.row.time_us is not None:
        remark = "no limit: the run has none; calculate it with `shflbench limits --save`"
    made = InspectedKernel(subject, arch, facts, block, shared, resident, 1, remark, recorded=recorded)
    known = recorded.counts
    if known is None or known.counts is None:
        return replace(made, uncounted=known.reason if known else "")
    return replace(made, accesses=findings(known.counts.requests))


def _resident(facts: KernelFacts, arch: str, shared: int, block: int) -> Occupancy | None:
    is_one = facts.kernels == 1  # several have several occupancies
    return occupancy_of(arch, facts.registers, shared, block) if is_one else None

"""The verdict on a kernel: what happened, and whether chosen inputs may be the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.checker.finding_kinds import KINDS
from shflbench.checker.judgment.body import values_without_body
from shflbench.checker.judgment.causes import LAUNCH, is_of_other_numbers, is_refusal, synthesized_causes
from shflbench.checker.judgment.last_block import is_read_of_last_block
from shflbench.checker.judgment.observations import Observation, observations
from shflbench.checker.judgment.sentences import (
    ALL_SCHEDULES,
    broken_sentence,
    idle_sentence,
    needs_sentence,
    result_faults,
)
from shflbench.checker.judgment.unspecified import says_nothing
from shflbench.checker.judgment.unsupported_inputs import UnsupportedInputs, only_in_fewer_blocks
from shflbench.checker.runs.fitting import set_aside
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.core.model import WARP
from shflbench.emulator.dataflow.bypasses import bypassed_condition
from shflbench.emulator.dataflow.endless_loops import follows_from_itself, never_ends, waits_for_clock
from shflbench.emulator.dataflow.guesses import is_guess
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.scheduler import StalledError
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.races.facts import UnorderedReason
from shflbench.emulator.races.hazards import HazardKind, hazard_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import KernelEvidence, LaunchEvidence
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.explore import ScheduleResult
    from shflbench.emulator.ptx.syntax import PtxInstruction
    from shflbench.errors import BudgetError

# Folders of headers in the line tables of nvcc and NVRTC, below the toolkit, the Python packages or a user's copy.
_HEADERS = re.compile(r"/(?:cub|thrust|cooperative_groups|cuda/std|cccl/cuda)/|/cooperative_groups\.h$")


@dataclass(frozen=True, slots=True)
class KernelJudgment:
    """The verdict on a kernel, its reason without a period, and what led to it."""

    verdict: KernelVerdict
    sentence: str  # of `broken`: the kinds of findings, or that the result depends on the schedule
    observations: tuple[Observation, ...]
    causes: tuple[str, ...] = ()  # what the user would have to give, for `needs arguments`
    refused: Mapping[str, tuple[HazardKind, ...]] = field(default_factory=dict)  # launches that it is not written for
    differs: bool = False  # only the outputs show that it is broken
    differing: tuple[LaunchEvidence, ...] = ()  # whose outputs differ between schedules; not where values do not fit


def judge_kernel(
    evidence: KernelEvidence,
    slicer: Slicer,
    *,
    order_matters: Sequence[str] = (),
    replicates_stores: bool = False,
    only_included: bool = False,
) -> KernelJudgment:
    """Return the verdict on a kernel.

    `order_matters` names what makes results of a correct kernel depend on the order of threads, such as atomics that
    return a value; `replicates_stores` says that the compiler lets several threads store one value to shared memory,
    which the source does not name, and `only_included` that the kernel is one of a header, of which no launch is found.
    """
    every = evidence.launches
    refused = dict(set_aside(every, slicer))
    kept = [item for item in every if str(item.launch.shape) not in refused]
    evidence = replace(evidence, launches=tuple(kept))
    seen = [_by_use(item, slicer) for item in observations(kept) if not is_harmless_in_library(item)]
    seen = [item for item in seen if not (replicates_stores and _is_replicated(item))]
    seen = [item for item in seen if item.kind is not HazardKind.ABSENT_VALUE]  # other values changed nothing
    partial = _refusals(seen, slicer)
    if len(partial) == len({str(launch.launch.shape) for launch in kept}):
        partial = {}  # there is no other launch to judge by
    refused |= partial
    differing = tuple(launch for launch in kept if launch.differences)
    unexplained = bool(differing) and not order_matters
    judged = [_judged(item, evidence, slicer, supported=not partial, unexplained=unexplained) for item in seen]
    judged = _without_consequences(judged)
    judged = _without_unsupported(judged, UnsupportedInputs(kept, slicer))
    unsupported = {id(item) for one in judged if one.unsupported_input for item in one.launches if item.differences}
    if unsupported:  # where chosen values do not fit, outputs that differ between schedules say nothing
        fitting = (replace(item, differences=()) if id(item) in unsupported else item for item in every)
        again = replace(evidence, launches=tuple(fitting))
        return judge_kernel(
            again,
            slicer,
            order_matters=order_matters,
            replicates_stores=replicates_stores,
            only_included=only_included,
        )
    judged = [
        replace(item, level=Level.NONE, unspecified=True)
        if says_nothing(item, kept, slicer, only_included=only_included)
        else item
        for item in judged
    ]
    judgment = _with_verdict(evidence, judged, order_matters, slicer, differs=bool(differing))
    if judgment.verdict is KernelVerdict.CLEAN:
        if evidence.expectation is None and (causes := values_without_body(kept, slicer)):
            judgment = replace(
                judgment, verdict=KernelVerdict.NEEDS_ARGUMENTS, sentence=idle_sentence(causes, kept), causes=causes
            )
        judgment = replace(judgment, refused=refused)
    return replace(judgment, differing=differing)


def _with_verdict(  # noqa: PLR0911  (a return per verdict)
    evidence: KernelEvidence,
    judged: Sequence[Observation],
    order_matters: Sequence[str],
    slicer: Slicer,
    *,
    differs: bool,
) -> KernelJudgment:
    """Return the verdict that judged observations lead to, and outputs that differ between schedules."""
    expected = evidence.expectation
    broken = [item for item in judged if item.level is Level.ERROR]
    if broken or (expected and (expected.wrong or expected.violations)):
        faults = [broken_sentence(broken, evidence)] if broken else []
        faults += result_faults(expected) if expected else []
        is_declared = expected and not expected.safe and not expected.violations
        verdict = KernelVerdict.UNSAFE if is_declared else KernelVerdict.BROKEN
        return KernelJudgment(verdict, "; ".join(faults), tuple(judged))
    if evidence.ended_by is not None:
        sentence = _cut_short(evidence, evidence.ended_by)
        return KernelJudgment(KernelVerdict.NOT_CHECKED, sentence, tuple(judged))
    causes = tuple(dict.fromkeys(cause for item in judged for cause in item.causes))
    if causes:
        sentence = needs_sentence(causes, judged, evidence.launches, slicer)
        return KernelJudgment(KernelVerdict.NEEDS_ARGUMENTS, sentence, tuple(judged), causes)
    if limit := _limit(evidence, judged) or (expected.incomparable if expected else ""):
        return KernelJudgment(KernelVerdict.NOT_CHECKED, limit, tuple(judged))
    if differs and not order_matters:
        return KernelJudgment(KernelVerdict.BROKEN, "the result depends on the schedule", tuple(judged), differs=True)
    is_safe = expected is None or expected.safe
    agree = f"{expected.right} under {ALL_SCHEDULES}" if expected else "no output differs between schedules"
    doubts = dict.fromkeys(KINDS[item.kind].doubt for item in judged if item.level is Level.WARNING)
    if doubts and is_safe:
        order = f"the result depends on the schedule: {' and '.join(order_matters)}; besides, "
        outputs = order if differs and not expected else f"{agree}, but "
        return KernelJudgment(KernelVerdict.DOUBTFUL, f"{outputs}{' and '.join(doubts)}", tuple(judged))
    if differs or any(item.kind is HazardKind.ACTIVEMASK for item in judged):
        reason = " and ".join(order_matters) or "it reads the mask of active lanes"
        depends = f"{agree}, but {reason}" if expected else f"the result depends on the schedule: {reason}"
        return KernelJudgment(KernelVerdict.DEPENDENT, depends, tuple(judged))
    if not is_safe:
        nothing = f"declared unsafe, but nothing was found under {ALL_SCHEDULES}"
        return KernelJudgment(KernelVerdict.HARMLESS, nothing, tuple(judged))
    return KernelJudgment(KernelVerdict.CLEAN, agree if expected else "", tuple(judged))


def _without_consequences(judged: Sequence[Observation]) -> list[Observation]:
    """Return the observations; those that only follow from others that break the kernel count for nothing.

    A deadlock follows from a misuse of masks or barriers under the same schedule, and the value of an absent lane from
    a mask of the same instruction that does not name the lane which reads it.
    """
    errors = [item for item in judged if item.level is Level.ERROR]
    outside = {item.hazard.instruction for item in errors if item.kind is HazardKind.NOT_IN_OWN_MASK}
    broken = {hazard_key(item.hazard) for item in errors if KINDS[item.kind].explains_deadlocks}

    def follows(item: Observation) -> bool:
        if item.kind is HazardKind.INACTIVE_SOURCE:
            return item.hazard.instruction in outside
        results = (result for launch in item.launches for result in launch.results if _is_of(item, result))
        return item.kind is HazardKind.DEADLOCK and any(
            hazard_key(hazard) in broken for result in results for hazard in result.hazards
        )

    return [replace(item, level=Level.NONE, causes=()) if follows(item) else item for item in judged]


def _is_of(item: Observation, result: ScheduleResult) -> bool:
    """Whether the fault of an observation ended the launch under this schedule."""
    fault = result.error
    if not isinstance(fault, KernelFault) or fault.op is None:
        return False
    return fault.kind.name == item.kind.name and fault.op.instruction is item.hazard.instruction


def _without_unsupported(judged: Sequence[Observation], unsupported: UnsupportedInputs) -> list[Observation]:
    """Return the observations; those that say only that chosen values do not fit count for nothing."""
    result = []
    for item in judged:
        is_open = item.level is Level.WARNING or item.undecided or only_in_fewer_blocks(item)
        reasons = unsupported.reasons(item, item.causes) if is_open else ()
        result.append(
            replace(item, level=Level.NONE, causes=(), undecided="", unsupported_input=reasons) if reasons else item
        )
    return result


def judge_observations(
    seen: Sequence[Observation], evidence: KernelEvidence, slicer: Slicer
) -> tuple[Observation, ...]:
    """Return the severity of each observation by itself, without that of the kernel."""
    return tuple(_judged(item, evidence, slicer, supported=True, unexplained=False) for item in seen)


def _refusals(seen: Sequence[Observation], slicer: Slicer) -> dict[str, tuple[HazardKind, ...]]:
    """Return the launches, by shape, in which the kernel only shows that it does not support them."""
    refused: dict[str, tuple[HazardKind, ...]] = {}
    for item in seen:
        if is_refusal(item, slicer):
            for launch in item.launches:
                shape = str(launch.launch.shape)
                refused[shape] = tuple(dict.fromkeys((*refused.get(shape, ()), item.kind)))
    return refused


def _by_use(item: Observation, slicer: Slicer) -> Observation:
    """Return an observation by what the program does with its instructions.

    A race of a read that only guesses what compare-and-swap checks is a guess. A barrier that lanes of a warp which
    waits there skip, and that do something else than to end, stands in a condition. What the last block reads by
    volatile or relaxed loads has to be written before the blocks are counted.
    """
    if item.kind is HazardKind.BARRIER_SKIPPED:
        return _of_skipped_barrier(item, slicer)
    if item.kind is HazardKind.UNORDERED and is_read_of_last_block(item.hazard, slicer):
        reasons = (UnorderedReason.NO_FENCE_BEFORE_COUNT,)
        return replace(item, hazard=replace(item.hazard, kind=HazardKind.RAW, reasons=reasons))
    if item.kind is not HazardKind.ATOMIC_RACE:
        return item
    instructions = (item.hazard.instruction, item.hazard.other or item.hazard.instruction)
    ops = [op for instruction in instructions for op in slicer.ops_of(instruction)]
    loads = [op for op in ops if isinstance(op.form, Access) and op.form.kind == "ld"]
    if not loads or not all(is_guess(op, slicer) for op in loads):
        return item
    return replace(item, hazard=replace(item.hazard, kind=HazardKind.GUESS))


def _of_skipped_barrier(item: Observation, slicer: Slicer) -> Observation:
    if len({(block, index // WARP) for block, index in item.hazard.threads}) > 1:
        return item  # PTX lets whole warps go on
    sides = dict(item.hazard.sides)
    branches = (bypassed_condition(op, slicer, sides) for op in slicer.ops_of(item.hazard.instruction))
    if (branch := next(filter(None, branches), None)) is None:
        return item
    kind, other = HazardKind.CONDITIONAL_BARRIER, branch.instruction
    return replace(item, hazard=replace(item.hazard, kind=kind, other=other))


def _is_replicated(item: Observation) -> bool:
    return item.hazard.one_store and item.hazard.space == "shared"


def _judged(
    item: Observation, evidence: KernelEvidence, slicer: Slicer, *, supported: bool, unexplained: bool
) -> Observation:
    if is_refusal(item, slicer) and not supported:
        return replace(item, level=Level.NONE)
    if is_of_other_numbers(item, evidence.launches):
        return replace(item, level=Level.NONE, unsupported_input=(LAUNCH,))
    row = KINDS[item.kind]
    if row.level is Level.NOTICE:  # no race, and atomics may explain other results
        is_error = unexplained and item.kind is HazardKind.UNORDERED
        return replace(item, level=Level.ERROR if is_error else Level.NOTICE)
    if row.level is Level.WARNING and not (unexplained and row.explains_differences):
        return replace(item, level=Level.WARNING)
    causes = tuple(synthesized_causes(item, slicer, evidence.launches))
    if item.kind is HazardKind.ENDLESS and set(causes) <= {LAUNCH} and _may_end(item, evidence, slicer):
        return _stopped(item, slicer, stalled=not causes and _is_stalled(item, slicer))
    return replace(item, level=Level.WARNING if causes else Level.ERROR, causes=causes)


def _may_end(item: Observation, evidence: KernelEvidence, slicer: Slicer) -> bool:
    """Whether a loop may end after the limit of instructions; a kernel with an expected result has none within it."""
    ops = slicer.ops_of(item.hazard.instruction)
    return evidence.expectation is None and not any(never_ends(op, slicer) for op in ops)


def _stopped(item: Observation, slicer: Slicer, *, stalled: bool) -> Observation:
    """Return a loop that the limit of instructions stopped: as a deadlock if its threads wait for one another."""
    if stalled:
        return replace(item, level=Level.ERROR, hazard=replace(item.hazard, kind=HazardKind.DEADLOCK))
    return replace(item, level=Level.NONE, undecided=_waiting(item, slicer))


def _is_stalled(item: Observation, slicer: Slicer) -> bool:
    """Whether the threads of a whole grid wait for one another by memory, whatever launches came before."""
    if not isinstance(item.hazard.fault, StalledError) or any(one.launch.shape.sample for one in item.launches):
        return False
    ops = slicer.ops_of(item.hazard.instruction)
    return all(follows_from_itself(op, slicer) for op in ops)


def _waiting(item: Observation, slicer: Slicer) -> str:
    if any(waits_for_clock(op, slicer) for op in slicer.ops_of(item.hazard.instruction)):
        return "it waits for a clock for longer than the limit of instructions"
    return "it did not end within the limit of instructions"


def _limit(evidence: KernelEvidence, judged: Sequence[Observation]) -> str:
    """Return why a launch says nothing: an error that is a limit of the emulator, or no launch at all."""
    for item in judged:
        if item.undecided:
            where = f"in launch {item.launches[0].launch.shape} ({item.hazard.instruction.where})"
            return f"{item.undecided} {where}"
    for launch in evidence.launches:
        for result in launch.results:
            if result.error is not None and not isinstance(result.error, KernelFault):
                return result.error.message
    return evidence.unfinished if not evidence.launches else ""


def _cut_short(evidence: KernelEvidence, limit: BudgetError) -> str:
    """Return that the budget or the time limit was reached, and which launches ended until then."""
    ended = [item for item in evidence.launches if not any(_is_step_limit(result.error) for result in item.results)]
    shapes = ", ".join(dict.fromkeys(str(item.launch.shape) for item in ended))
    until_then = f"only launches {shapes} ended" if shapes else "no launch ended"
    return f"{limit.message}, {until_then}; give more with {limit.option}"


def _is_step_limit(error: Exception | None) -> bool:
    return isinstance(error, KernelFault) and error.kind is FaultKind.ENDLESS


def is_of_library(instruction: PtxInstruction) -> bool:
    """Return whether a line in a header of CUB, Thrust, libcu++ or cooperative groups led to an instruction."""
    location = instruction.location
    return location is not None and _HEADERS.search(location.file) is not None


def is_harmless_in_library(item: Observation) -> bool:
    """Return whether a library reads uninitialized memory on purpose: whatever the value is, nothing changes.

    `cub::WarpMergeSort` reads the element behind the last one before it compares the index with the size.
    """
    return item.kind is HazardKind.UNINITIALIZED_UNUSED and is_of_library(item.hazard.instruction)

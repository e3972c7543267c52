"""Run one kernel at planned launches: seeds, schedules, and buffers that grow where their size was chosen."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.argument_spec import MOST_PAGED, MOST_TOTAL_BYTES, PAGED_PERIOD
from shflbench.checker.inputs.choose import choose
from shflbench.checker.inputs.default_launches import (
    fewer_blocks,
    is_edge,
    is_of_same_launch,
    of_blocks,
)
from shflbench.checker.runs.all_schedules import communicates_by_barriers, results_hold_for_all
from shflbench.checker.runs.budget import RunBudget
from shflbench.checker.runs.differences import differences
from shflbench.checker.runs.emulated import emulated_launch, has_pages
from shflbench.checker.runs.evidence import KernelEvidence, LaunchEvidence, did_not_end
from shflbench.checker.runs.fitting import set_aside
from shflbench.checker.runs.growth import BufferGrowth
from shflbench.checker.runs.launch_selection import (
    adversarial,
    shows_parts_of_tiles,
    that_fits,
    to_compare,
    would_not_end,
)
from shflbench.checker.runs.long_loops import is_free_of_synthesized
from shflbench.checker.runs.narrow_masks import launch_of_masks
from shflbench.core.words import count_noun, join_words
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.endless_loops import follows_from_itself, never_ends, waits_for_clock
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.explore import explore
from shflbench.emulator.file_budget import BYTES, COMPARISON
from shflbench.emulator.machine.executors import all_executors
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.launch import Machine
from shflbench.emulator.machine.policies import ADVERSARIAL, LOCKSTEP, delaying, until_shown
from shflbench.emulator.machine.scheduler import StalledError, StepLimitError
from shflbench.emulator.races.hazards import MEMORY_FAULTS, RACES, HazardKind
from shflbench.emulator.races.past_faults import past_faults
from shflbench.emulator.races.tracked import TooManyCellsError
from shflbench.emulator.races.watched import ScheduledRun
from shflbench.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.emulator.explore import ScheduleResult
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.machine.launch import EmulatedLaunch
    from shflbench.emulator.machine.policies import Policy

COLLECTED_BYTES = 1 << 21  # of buffers, above which the memory of earlier launches is freed at once
SEEDS = 2  # sets of contents per launch
STEP_LIMIT = 100_000  # instructions of one launch under one schedule; about two seconds
LEAST_GAIN = 2  # times the instructions, for which a launch that did not end is worth a second run
FEWER_BLOCKS = (2, 1)  # of a launch that did not end: the instructions of other blocks may be why
MOST_ENDLESS = 2  # launches that reach the limit, after which no further one begins: each would take as long


@dataclass(slots=True)
class KernelRuns:
    """The runs of one linked kernel."""

    kernel: SourceKernel
    program: Program
    spec: ArgumentSpec
    seed: int
    patient: bool = True  # a launch in lockstep may take more instructions than the limit
    budget: RunBudget = field(default_factory=RunBudget)
    _growth: BufferGrowth = field(init=False)
    _ended_by: BudgetError | None = None  # the budget of the file ended a run
    _without_memory: dict[str, None] = field(default_factory=dict)  # launches whose real sizes need too much

    def __post_init__(self) -> None:
        """Keep what enlarges buffers."""
        self._growth = BufferGrowth(self.kernel, self.program)

    def collect(self, launch_plan: Sequence[PlannedLaunch]) -> KernelEvidence:
        """Run every planned launch in lockstep, and the smallest ones under all schedules, until the budget is over.

        UsageError where a given value does not fit its parameter.
        """
        every, unfinished = self.in_lockstep(launch_plan)
        too_large = [item for item in every if self._lacks_memory(item, every)]
        launches = [item for item in every if not any(item is other for other in too_large)]
        for item in too_large:
            self._note_memory(item)
        slicer = Slicer(self.program)
        if not unfinished and (narrow := launch_of_masks(launches, slicer)) is not None:
            narrowed, unfinished = self.in_lockstep([narrow])
            launches += narrowed
        aside = set_aside(launches, slicer)
        fitting = [item for item in launches if str(item.launch.shape) not in aside and item.seed == self.seed]
        for select in (adversarial, to_compare):
            for item in select(fitting):
                more, cut = self._under_all_schedules(item)
                launches[launches.index(item)] = fitting[fitting.index(item)] = more
                unfinished = unfinished or cut
        launches.sort(key=lambda item: not item.launch.shape.sample)  # what happens at real sizes is judged first
        unfinished = "; ".join(filter(None, (self._memory_note(), unfinished)))
        return KernelEvidence(tuple(launches), "" if self._ended_by else unfinished, self._ended_by)

    def _note_memory(self, item: LaunchEvidence) -> None:
        """Note a launch that is left out because blocks at its real sizes need more memory than buffers can have."""
        if item.launch.shape.sample and self._growth.is_beyond_all(item.results[0].error, item.arguments):
            self._without_memory[str(item.launch.shape)] = None

    def _memory_note(self) -> str:
        """Return which launches were not checked at their real sizes; empty if there is none."""
        if not self._without_memory:
            return ""
        shapes = join_words(list(self._without_memory))
        return f"real sizes of launch {shapes} not checked, because buffers need more than {MOST_TOTAL_BYTES >> 20} MiB"

    def in_lockstep(self, launch_plan: Sequence[PlannedLaunch], seeds: int = SEEDS) -> tuple[list[LaunchEvidence], str]:
        """Return each launch with each seed, and why not all of them ran."""
        launches: list[LaunchEvidence] = []
        try:
            return launches, self._add_in_lockstep(launches, launch_plan, seeds)
        except BudgetError as error:
            self._ended_by = error
            return launches, error.message

    def _add_in_lockstep(self, launches: list[LaunchEvidence], launch_plan: Sequence[PlannedLaunch], seeds: int) -> str:
        """Add each launch with each seed to `launches`, edges last; return why not all of them ran."""
        usual = [launch for launch in launch_plan if not is_edge(launch)]
        unfinished = self._add_usual(launches, usual or launch_plan, seeds)
        for launch in filter(is_edge, launch_plan if usual else ()):
            launches += self._beyond_edges(launch, launches)
        return unfinished

    def _add_usual(self, launches: list[LaunchEvidence], launch_plan: Sequence[PlannedLaunch], seeds: int) -> str:
        """Add each launch with each seed to `launches`; return why not all of them ran."""
        skipped = 0
        for index, launch in enumerate(launch_plan):
            if would_not_end(launch, launches) or any(item.launch is launch for item in launches):
                continue
            shows_more = self._tests_bounds(launch, launches) or shows_parts_of_tiles(launch, launches)
            is_over = self.budget.is_spent and not shows_more
            if launches and (is_over or self._takes_longer(launch, launches)):
                skipped += 1
                continue
            launches.append(self._launch(launch, self.seed))
            is_only = len(launches) == 1 and index == len(launch_plan) - 1
            if launch.shape.sample and not is_only and not self._is_meaningful(launches[-1]):
                self._note_memory(launches.pop())
                continue
            has_ended = not did_not_end(launches[-1])
            launches += [] if has_ended else self._smaller(launches[-1], launch_plan)
            endless = sum(did_not_end(item) for item in launches)
            if endless >= MOST_ENDLESS or (endless and self.budget.spent > self.budget.most / 4):
                return "" if index == len(launch_plan) - 1 else _skipped(endless)
            if not has_ended:
                continue
            for round_ in range(1, seeds):
                self.spec = replace(self.spec, vary=not launch.is_special)
                tried = launches[-1].launch  # with fewer blocks, where all of them were too many
                other = choose(self.kernel, tried, self._spec_of(tried), self.seed + round_)
                if not self.budget.is_half_spent and _differ(other, launches[-1].arguments):
                    launches.append(self._launch(tried, self.seed + round_))
            self.spec = replace(self.spec, vary=False)
        number = count_noun(skipped, "launch")
        return f"{number} did not run, because the limit of instructions was reached" if skipped else ""

    def _beyond_edges(self, launch: PlannedLaunch, before: Sequence[LaunchEvidence]) -> Iterator[LaunchEvidence]:
        """Yield a launch whose last tiles are parts, with the sizes of buffers that guards suggest.

        It runs beyond the budget, the first one in any case, because no other one tests the bounds of unguarded
        accesses.
        """
        if self.budget.allows_small or not any(is_edge(item.launch) for item in before):
            self.spec = replace(self.spec, vary=True)
            yield self._launch(launch, self.seed + 1)
            self.spec = replace(self.spec, vary=False)

    def _smaller(self, item: LaunchEvidence, launch_plan: Sequence[PlannedLaunch]) -> list[LaunchEvidence]:
        """Return the first smaller launch that ends, in place of one that did not, but may end.

        The smallest one of the plan, whose sizes fit its blocks, may take as many instructions as the first launch.
        """
        if not self._may_end(item.results[0], whole=True):
            return []
        usual = (one for one in launch_plan if not one.is_special and not is_edge(one))
        smallest = min(usual, key=_threads, default=item.launch)
        budget = replace(self.budget, spent=0.0, longest=0.0)
        tries = [(replace(self, budget=budget), smallest)] if _threads(smallest) < _threads(item.launch) else []
        impatient = replace(self, patient=False)
        tries += [(impatient, small) for blocks in FEWER_BLOCKS if (small := of_blocks(item.launch, blocks))]
        ran = (runs.one_launch(launch) for runs, launch in tries)
        ended = next((one for one in ran if not did_not_end(one)), None)
        return [] if ended is None else [ended]

    def _takes_longer(self, launch: PlannedLaunch, before: Sequence[LaunchEvidence]) -> bool:
        """Whether a launch with fewer blocks takes too long, because its loops do the work of all blocks.

        Some blocks ran at the real sizes then.
        """
        real = [item for item in before if item.launch.shape.sample and item.results[0].error is None]
        if not real or not launch.origin.is_scaled_down or not self.spec.strides:
            return False
        return self.budget.longest / len(real[0].launch.shape.sample) * prod(launch.whole_grid) > self.budget.most

    def _tests_bounds(self, launch: PlannedLaunch, before: Sequence[LaunchEvidence]) -> bool:
        """Whether a launch at its real sizes runs beyond the budget, because no other one tests their bounds."""
        is_first = not any(item.launch.shape.sample for item in before)
        return bool(launch.shape.sample) and is_first and self.budget.is_patient

    def one_launch(self, launch: PlannedLaunch) -> LaunchEvidence:
        """Run one launch in lockstep; BudgetError if the budget of the file is over."""
        return self._launch(launch, self.seed)

    def under_all_schedules(self, item: LaunchEvidence) -> LaunchEvidence:
        """Return a launch that ran in lockstep with its results under the other schedules."""
        return self._under_all_schedules(item)[0]

    def _run(self, emulated: EmulatedLaunch, policy: Policy, seed: int, more_steps: int = 0) -> ScheduleResult:
        before = emulated.machine.work
        limit, observed = more_steps or STEP_LIMIT, () if policy.delays else None
        (result,) = explore(emulated, (policy,), seed=seed, step_limit=limit, observed=observed).results
        self.budget.spend(before, emulated, is_usual=not more_steps)
        return result

    def _in_lockstep(self, emulated: EmulatedLaunch, seed: int, arguments: Arguments) -> ScheduleResult:
        """Run in lockstep, again with more instructions where the launch may end and the budget allows them."""
        machine = emulated.machine
        before = machine.work + COMPARISON * machine.comparisons
        result = self._run(emulated, LOCKSTEP, seed)
        if emulated.shape.sample or not self.patient or not self._may_end(result, whole=True):
            return result
        spent = machine.work + COMPARISON * machine.comparisons - before
        is_certain = is_free_of_synthesized(result.error, Slicer(self.program), arguments)
        steps = self.budget.steps_to_end(spent / STEP_LIMIT, is_certain=is_certain)
        if steps < LEAST_GAIN * STEP_LIMIT:
            return result
        try:
            return self._run(emulated, LOCKSTEP, seed, steps)
        except BudgetError as error:
            self._ended_by = error
            return result

    def _past_faults(self, emulated: EmulatedLaunch, result: ScheduleResult, seed: int) -> ScheduleResult:
        """Return a result also with what happens after an access out of bounds or misaligned, if the budget allows."""
        fault = result.error
        if not isinstance(fault, KernelFault) or HazardKind[fault.kind.name] not in MEMORY_FAULTS:
            return result
        if self.budget.is_spent:
            return result
        before = emulated.machine.work
        depends = Slicer(self.program).depends_on_memory
        try:
            after = past_faults(ScheduledRun(emulated, LOCKSTEP, seed, STEP_LIMIT), result.hazards, depends)
        except BudgetError as error:
            self._ended_by = error
            return result
        self.budget.spend(before, emulated)
        return replace(result, hazards=(*result.hazards, *after.hazards), faults=after.faults)

    def _may_end(self, result: ScheduleResult, *, whole: bool) -> bool:
        """Whether a run that did not end within the limit of instructions may end with more of them.

        Of a launch that is not `whole`, other blocks may change the memory that threads poll.
        """
        error = result.error
        if not isinstance(error, StepLimitError):
            return False
        slicer = Slicer(self.program)
        ops = slicer.ops_of(error.op.instruction) if error.op is not None else []
        if isinstance(error, StalledError) and whole and all(follows_from_itself(op, slicer) for op in ops):
            return False
        return not any(never_ends(op, slicer) or waits_for_clock(op, slicer) for op in ops)

    def _launch(self, launch: PlannedLaunch, seed: int) -> LaunchEvidence:
        """Run one launch, again with larger buffers where accesses go beyond those of chosen size."""
        machine = self._machine()
        while True:
            self.budget.of_file.check()
            arguments = choose(self.kernel, launch, self._spec_of(launch), seed)
            self.budget.of_file.spend(2 * arguments.total_bytes / BYTES)  # they are filled, and run on
            emulated = self._emulated(launch, arguments, machine)
            result = self._in_lockstep(emulated, seed, arguments)
            if isinstance(result.error, TooManyCellsError) and (smaller := fewer_blocks(launch)) is not None:
                launch = smaller
            elif self._growth.is_beyond_all(result.error, arguments) and (other := that_fits(launch)) is not None:
                launch = other
            elif not self._grow(self._growth.after(self.spec, result, arguments)):
                result = self._past_faults(emulated, result, seed)
                if any(self._grow(self._growth.of_fault(self.spec, one, arguments)) for one in result.faults):
                    continue
                return _observed(machine, LaunchEvidence(launch, arguments, seed, (result,)))

    def _under_all_schedules(self, item: LaunchEvidence) -> tuple[LaunchEvidence, str]:
        """Return a launch that ran in lockstep with its results under the other schedules, and why some are missing."""
        results, partial, machine, cut = list(item.results), list(item.partial), self._machine(), ""
        emulated = self._emulated(item.launch, item.arguments, machine)
        phases = delaying(emulated.shape) if self.program.tests_phases else []
        is_by_barriers = communicates_by_barriers(self.program)

        def is_shown() -> bool:
            whole = is_by_barriers and not (partial or item.launch.shape.sample)
            return whole and results_hold_for_all(results, self.program)

        for policy in until_shown((*ADVERSARIAL, *phases), is_shown):
            if policy.of_blocks and results[0].blocks_apart:
                continue
            if self.budget.is_spent:
                cut = "" if is_shown() else "not all schedules ran, because the limit of instructions was reached"
                break
            self.budget.of_file.spend(item.arguments.total_bytes / BYTES)
            try:
                result = self._run(emulated, policy, item.seed)
                if self._grow(self._growth.of_fault(self.spec, result.error, item.arguments)):
                    return self._under_all_schedules(self._launch(item.launch, item.seed))
            except BudgetError as error:
                self._ended_by = error
                break
            item = replace(_observed(machine, item), printed=item.printed)
            if self._may_end(result, whole=not item.launch.shape.sample):
                partial.append(_without_end(result))
                continue
            results.append(_sharing(result, results[0]))
            if isinstance(result.error, StepLimitError):
                break
        if partial:
            policies = ", ".join(f"`{result.policy}`" for result in partial)
            limit = f"stopped under {policies} after {STEP_LIMIT:,} instructions"
            cut = f"{limit}; {cut}" if cut else limit
        names = [buffer.name for buffer in item.arguments.buffers]
        differing = tuple(differences(results, names))
        more = replace(item, results=tuple(results), partial=tuple(partial), differences=differing)
        return more, cut

    def _spec_of(self, launch: PlannedLaunch) -> ArgumentSpec:
        """Return what decides on the arguments of a launch; of one with pages, contents repeat unless they are indices.

        Sorted contents do not repeat, either.
        """
        arguments = launch.host.arguments if launch.host is not None else ()
        is_sorted = any(item.buffer is not None and item.buffer.is_sorted for item in arguments)
        indexes = bool(self.spec.indexes or self.spec.offsets)
        if not has_pages(self.program, launch) or is_sorted or indexes:
            return self.spec
        return replace(self.spec, most_bytes=MOST_PAGED, period_bytes=PAGED_PERIOD)

    def _machine(self) -> Machine:
        return Machine(budget=self.budget.of_file)

    def _emulated(self, launch: PlannedLaunch, arguments: Arguments, machine: Machine) -> EmulatedLaunch:
        if arguments.total_bytes > COLLECTED_BYTES:
            gc.collect()  # the machine of the launch before is in a cycle
        return emulated_launch(self.program, launch, arguments, machine)

    def _grow(self, grown: ArgumentSpec | None) -> bool:
        """Take the spec for larger buffers, if there are any; return whether there are."""
        self.spec = grown or self.spec
        return grown is not None

    def _is_meaningful(self, sampled: LaunchEvidence) -> bool:
        """Whether blocks of a large launch ended, or met a fault that is not due to the chosen size of a buffer."""
        error = sampled.results[0].error
        if isinstance(error, KernelFault) and error.kind is FaultKind.OUT_OF_BOUNDS and error.buffer is not None:
            buffer, _ = self._growth.meant(error, sampled.arguments)
            return buffer is None or buffer.size is not Origin.CHOSEN
        return error is None or isinstance(error, KernelFault)

    def _lacks_memory(self, item: LaunchEvidence, every: Sequence[LaunchEvidence]) -> bool:
        """Whether a launch says only that it needs more memory than all buffers can have, and blocks of it ended.

        Of blocks at the real sizes, other launches have to end.
        """
        if not self._growth.is_beyond_all(item.results[0].error, item.arguments):
            return False
        if item.launch.shape.sample:
            return any(other.results[0].error is None for other in every)
        whole = [other for other in every if other.launch.shape.sample and other.results[0].error is None]
        return any(is_of_same_launch(other.launch, item.launch) for other in whole)


def _threads(launch: PlannedLaunch) -> int:
    return launch.shape.threads


def _skipped(endless: int) -> str:
    return f"further launches did not run, because {count_noun(endless, 'launch')} did not end"


def _sharing(result: ScheduleResult, first: ScheduleResult) -> ScheduleResult:
    """Return a result with the outputs of the first schedule where they are equal, so that memory holds them once."""
    if len(result.outputs) != len(first.outputs):
        return result
    pairs = zip(result.outputs, first.outputs, strict=True)
    return replace(result, outputs=tuple(known if np.array_equal(new, known) else new for new, known in pairs))


def _without_end(result: ScheduleResult) -> ScheduleResult:
    """Return the races of a run that the limit of instructions ended: they have happened, whatever follows."""
    return replace(result, hazards=tuple(item for item in result.hazards if item.kind in RACES), error=None)


def _observed(machine: Machine, item: LaunchEvidence) -> LaunchEvidence:
    """Return a launch with the code that the last run of its machine executed, too, and with what that run printed."""
    state = machine.state
    if state is None:  # the launch could not begin
        return item
    return replace(
        item,
        runs=all_executors(item.runs, state.executed),
        guarded=all_executors(item.guarded, state.guarded),
        printed=tuple("".join(state.printed).splitlines()),
    )


def _differ(one: Arguments, other: Arguments) -> bool:
    """Return whether two sets of arguments hold different values."""
    return any(a.data != b.data for a, b in zip(one.parameters, other.parameters, strict=True)) or any(
        not np.array_equal(a.contents, b.contents) for a, b in zip(one.buffers, other.buffers, strict=True)
    )

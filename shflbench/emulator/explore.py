"""Run one launch under all schedules: results, hazards, errors."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from shflbench.emulator.machine.deadlock import DeadlockError
from shflbench.emulator.machine.executed_lines import Line, executed_lines
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.machine.launch import EmulatedLaunch, steps_that_suffice
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES, Policy, until_shown
from shflbench.emulator.machine.scheduler import STEP_LIMIT, StepLimitError
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.hazards import Hazard, HazardKind, HazardLog
from shflbench.emulator.races.lost_phases import LostPhases
from shflbench.emulator.races.skipped_barriers import with_sides
from shflbench.emulator.races.undefined_values import Proven, assuming_effects, with_effects
from shflbench.emulator.races.watched import PART_OF_ENDLESS, ScheduledRun, Watch, hazard_of
from shflbench.errors import EmulatorError


@dataclass(frozen=True, slots=True)
class ScheduleResult:
    """The result of one schedule: outputs, or the error that stopped the kernel."""

    policy: str
    outputs: tuple[Values, ...]
    hazards: tuple[Hazard, ...]
    error: EmulatorError | None = None
    executed: frozenset[Line] = frozenset()  # (file, line) of the source
    blocks_apart: bool = False  # the order of blocks cannot matter: none accessed what another one wrote
    phases_are_fixed: bool = False  # in each order, the same operations belong to each phase of a barrier in memory
    faults: tuple[KernelFault, ...] = ()  # of accesses that were dropped, so that the launch went on


@dataclass(frozen=True, slots=True)
class Exploration:
    """The results of all schedules."""

    results: tuple[ScheduleResult, ...]

    @property
    def hazards(self) -> tuple[Hazard, ...]:
        """The hazards of all schedules, each once."""
        merged = HazardLog()
        for result in self.results:
            for hazard in result.hazards:
                merged.merge(hazard)
        return merged.list()

    @property
    def errors(self) -> tuple[EmulatorError, ...]:
        """The deadlocks, endless loops and accesses out of bounds."""
        return tuple(result.error for result in self.results if result.error is not None)

    @property
    def executed(self) -> frozenset[Line]:
        """The source lines that ran under any schedule."""
        return frozenset(line for result in self.results for line in result.executed)


def _never(_results: Sequence[ScheduleResult]) -> bool:
    return False


def explore(  # noqa: PLR0913  (what a run needs)
    launch: EmulatedLaunch,
    policies: Iterable[Policy] = tuple(POLICIES.values()),
    *,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
    observed: Collection[str] | None = None,
    show_all: Callable[[Sequence[ScheduleResult]], bool] = _never,
) -> Exploration:
    """Run `launch` under each policy, looking for hazards; errors become part of the result.

    `observed` are the names of the policies under which hazards are looked for, None for all: the order of accesses
    that makes a race does not depend on the schedule, so that one of them is often enough. `show_all` says whether the
    results so far are those of all policies: then two more run, which would show if it was wrong.

    Where blocks do not communicate in lockstep, policies that order blocks are not run: their result is the same.
    A launch that does not end under one policy is not run under those after it: each would take as long. One that has
    ended in lockstep may take more than `step_limit` instructions under a policy of many groups.
    """
    results: list[ScheduleResult] = []
    proven: Proven = set()
    limit = step_limit
    first, *others = policies
    for policy in chain([first], until_shown(others, lambda: show_all(results))):
        if policy.of_blocks and results and results[0].policy == LOCKSTEP.name and results[0].blocks_apart:
            results.append(replace(results[0], policy=policy.name, hazards=()))
            continue
        watched = observed is None or policy.name in observed
        if results and results[0].policy == LOCKSTEP.name and results[0].error is None:
            limit = max(step_limit, steps_that_suffice(launch, policy))
        results.append(_run(ScheduledRun(launch, policy, seed, limit), proven, watched=watched))
        if isinstance(results[-1].error, StepLimitError):
            break
    if len(results) <= len(others) and show_all(results):
        ran = {result.policy: result for result in results}
        results = [ran.get(one.name) or replace(results[0], policy=one.name) for one in (first, *others)]
    return Exploration(tuple(results))


def _run(run: ScheduledRun, proven: Proven, *, watched: bool) -> ScheduleResult:
    log, watch, (launch, policy) = HazardLog(), Watch(), (run.launch, run.policy)
    outputs, error = run.execute(partial(watch.start, log) if watched else None)
    watch.finish()
    if isinstance(error, DeadlockError):
        error = _explained(run, error)
    state = launch.machine.state
    executed = _executed(state) if state is not None else frozenset()
    if error is None:
        hazards = with_effects(launch, policy, log.list(), seed=run.seed, step_limit=run.step_limit, proven=proven)
        is_skipped = any(item.kind is HazardKind.BARRIER_SKIPPED for item in hazards)
        log = with_sides(run, hazards) if is_skipped else HazardLog.of(hazards)
    elif isinstance(error, KernelFault):
        hazards = assuming_effects(launch, policy, log.list(), error, seed=run.seed, step_limit=run.step_limit)
        log = HazardLog.of(hazards)
    cells = watch.conflicts.cells() if watch.conflicts is not None else {}
    if cells:
        tracking = Watch()
        endless = policy.name == LOCKSTEP.name and isinstance(error, StepLimitError)
        part = replace(run, step_limit=run.step_limit // PART_OF_ENDLESS) if endless else run
        _, second = part.execute(partial(tracking.track, log, cells))
        tracking.finish()
        error = error or second
    if isinstance(error, KernelFault) and error.op is not None and watched:
        log.merge(hazard_of(error, error.op))
    apart = launch.shape.grid == 1 or (error is None and watch.blocks_apart)
    return ScheduleResult(
        policy.name,
        outputs if error is None else (),
        log.list(),
        error,
        executed,
        blocks_apart=apart,
        phases_are_fixed=watch.phases_are_fixed,
    )


def _explained(run: ScheduledRun, error: DeadlockError) -> DeadlockError:
    """Return a deadlock at a barrier in memory as one of a thread that has missed a phase, if one has."""
    if error.op is None or not isinstance(error.op.form, Access):
        return error
    observers: list[LostPhases] = []

    def observe(state: State) -> list[LostPhases]:
        observers.append(LostPhases(state))
        return observers

    run.execute(observe)
    return observers[0].explain(error)


def _executed(state: State) -> frozenset[Line]:
    """Return the lines that ran in the last run."""
    ends = {id(op) for _, op in state.ends}
    return executed_lines(state.program, state.executed, state.guarded.keys() | ends)

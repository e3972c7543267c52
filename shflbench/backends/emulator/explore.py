"""Run one launch under all schedules: results, hazards, errors."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from shflbench.backends.emulator.link.program import Op
from shflbench.backends.emulator.machine.coverage import Line, executed_lines
from shflbench.backends.emulator.machine.faults import KernelFault
from shflbench.backends.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.backends.emulator.machine.observer import Observer
from shflbench.backends.emulator.machine.policies import LOCKSTEP, POLICIES, Policy
from shflbench.backends.emulator.machine.scheduler import STEP_LIMIT, StepLimitError
from shflbench.backends.emulator.machine.state import State
from shflbench.backends.emulator.opcodes.forms import Access, Values
from shflbench.backends.emulator.races.conflicts import Conflicts
from shflbench.backends.emulator.races.hazards import Hazard, HazardKind, HazardLog
from shflbench.backends.emulator.races.table import rules, tracking_rules
from shflbench.backends.emulator.races.undefined_values import Proven, assuming_effects, with_effects
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
    def breaking(self) -> tuple[Hazard, ...]:
        """The hazards that make a kernel wrong."""
        return tuple(hazard for hazard in self.hazards if hazard.kind.breaks)

    @property
    def errors(self) -> tuple[EmulatorError, ...]:
        """The deadlocks, endless loops and accesses out of bounds."""
        return tuple(result.error for result in self.results if result.error is not None)

    @property
    def executed(self) -> frozenset[Line]:
        """The source lines that ran under any schedule."""
        return frozenset(line for result in self.results for line in result.executed)


def explore(
    launch: EmulatedLaunch,
    policies: Iterable[Policy] = tuple(POLICIES.values()),
    *,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
    observed: Collection[str] | None = None,
) -> Exploration:
    """Run `launch` under each policy, looking for hazards; errors become part of the result.

    `observed` are the names of the policies under which hazards are looked for, None for all: the order of accesses
    that makes a race does not depend on the schedule, so that one of them is often enough.

    Where blocks do not communicate in lockstep, policies that order blocks are not run: their result is the same.
    A launch that does not end under one policy is not run under those after it: each would take as long.
    """
    results: list[ScheduleResult] = []
    proven: Proven = set()
    for policy in policies:
        if policy.of_blocks and results and results[0].policy == LOCKSTEP.name and results[0].blocks_apart:
            results.append(replace(results[0], policy=policy.name, hazards=()))
            continue
        watched = observed is None or policy.name in observed
        results.append(_run(launch, policy, seed, step_limit, proven, watched=watched))
        if isinstance(results[-1].error, StepLimitError):
            break
    return Exploration(tuple(results))


def _run(  # noqa: PLR0913  (what `explore` takes, and what it keeps)
    launch: EmulatedLaunch, policy: Policy, seed: int, step_limit: int, proven: Proven, *, watched: bool
) -> ScheduleResult:
    log, watch = HazardLog(), _Watch()
    outputs, error = _execute(launch, policy, seed, step_limit, partial(watch.start, log) if watched else None)
    watch.finish()
    state = launch.machine.state
    executed = _executed(state) if state is not None else frozenset()
    if error is None:
        log = HazardLog.of(with_effects(launch, policy, log.list(), seed=seed, step_limit=step_limit, proven=proven))
    elif isinstance(error, KernelFault):
        log = HazardLog.of(assuming_effects(log.list()))
    cells = watch.conflicts.cells() if watch.conflicts is not None else {}
    if cells:
        tracking = _Watch()
        _, second = _execute(launch, policy, seed, step_limit, partial(tracking.track, log, cells))
        tracking.finish()
        error = error or second
    if isinstance(error, KernelFault) and error.op is not None and watched:
        log.merge(_of_fault(error, error.op))
    apart = launch.shape.grid == 1 or (error is None and watch.blocks_apart)
    return ScheduleResult(policy.name, outputs if error is None else (), log.list(), error, executed, apart)


def _executed(state: State) -> frozenset[Line]:
    """Return the lines that ran in the last run."""
    ends = {id(op) for _, op in state.ends}
    return executed_lines(state.program, state.executed, state.guarded | ends)


@dataclass(slots=True)
class _Watch:
    """The observers of one run."""

    observers: list[Observer] = field(default_factory=list)
    conflicts: Conflicts | None = None
    state: State | None = None

    def start(self, log: HazardLog, state: State) -> list[Observer]:
        """Look for all hazards but races in global memory; mark where these can be."""
        self.state = state
        self.observers, self.conflicts = rules(state, log)
        return self.observers

    def track(self, log: HazardLog, cells: Mapping[str, Values], state: State) -> list[Observer]:
        """Look for races in the marked cells."""
        self.observers = tracking_rules(state, log, cells)
        return self.observers

    @property
    def blocks_apart(self) -> bool:
        """Whether no block can have learned of another one: by memory, the clock, or what `malloc` gave."""
        state, conflicts = self.state, self.conflicts
        if state is None or conflicts is None or state.ticks or state.program.heap_bytes:
            return False
        return conflicts.blocks_apart

    def finish(self) -> None:
        for observer in self.observers:
            observer.finish()


def _execute(
    launch: EmulatedLaunch,
    policy: Policy,
    seed: int,
    step_limit: int,
    observe: Callable[[State], Sequence[Observer]] | None,
) -> tuple[tuple[Values, ...], EmulatorError | None]:
    """Return the outputs of one run, or the error that stopped it."""
    try:
        return tuple(execute(launch, policy, observe=observe, seed=seed, step_limit=step_limit)), None
    except EmulatorError as error:
        return (), error


def _of_fault(fault: KernelFault, op: Op) -> Hazard:
    """Return a fault as a hazard."""
    form = op.form
    space = form.space if isinstance(form, Access) else ""
    kind = HazardKind[fault.kind.name]
    return Hazard(kind, op.instruction, None, fault.threads, 1, space, fault.detail, (fault.message,), fault.buffer)

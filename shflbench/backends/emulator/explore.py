"""Run one launch under all schedules: results, hazards, errors."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from shflbench.backends.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.backends.emulator.machine.policies import POLICIES, Policy
from shflbench.backends.emulator.machine.scheduler import STEP_LIMIT, StepLimitError
from shflbench.backends.emulator.opcodes.forms import Values
from shflbench.backends.emulator.races.hazards import Hazard, HazardLog
from shflbench.backends.emulator.races.table import rules
from shflbench.errors import EmulatorError


@dataclass(frozen=True, slots=True)
class ScheduleResult:
    """The result of one schedule: outputs, or the error that stopped the kernel."""

    policy: str
    outputs: tuple[Values, ...]
    hazards: tuple[Hazard, ...]
    error: EmulatorError | None = None


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


def explore(
    launch: EmulatedLaunch,
    policies: Iterable[Policy] = tuple(POLICIES.values()),
    *,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
) -> Exploration:
    """Run `launch` under each policy, looking for hazards; errors become part of the result.

    A launch that does not end under one policy is not run under those after it: each would take as long.
    """
    results: list[ScheduleResult] = []
    for policy in policies:
        results.append(_run(launch, policy, seed, step_limit))
        if isinstance(results[-1].error, StepLimitError):
            break
    return Exploration(tuple(results))


def _run(launch: EmulatedLaunch, policy: Policy, seed: int, step_limit: int) -> ScheduleResult:
    log = HazardLog()
    try:
        outputs = execute(launch, policy, observe=partial(rules, log=log), seed=seed, step_limit=step_limit)
    except EmulatorError as error:
        return ScheduleResult(policy.name, (), log.list(), error)
    return ScheduleResult(policy.name, tuple(outputs), log.list())

"""Run one kernel under every legal schedule and say what came out: results, races, deadlocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.backends.emulator.findings import Findings
from shflbench.backends.emulator.launch import execute
from shflbench.backends.emulator.policies import POLICIES
from shflbench.errors import EmulatorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.backends.emulator.findings import Finding
    from shflbench.backends.emulator.forms import Values
    from shflbench.backends.emulator.launch import Launch
    from shflbench.backends.emulator.policies import Policy


STEP_LIMIT = 500_000  # instructions carried out under one policy; a transposition by lanes in order takes 220,000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one schedule led to: outputs, or the error that stopped the kernel."""

    policy: str
    outputs: tuple[Values, ...]
    findings: tuple[Finding, ...]
    error: EmulatorError | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What all schedules together showed."""

    outcomes: tuple[Outcome, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all schedules, each once."""
        merged = Findings()
        for outcome in self.outcomes:
            for finding in outcome.findings:
                merged.merge(finding)
        return merged.list()

    @property
    def hazards(self) -> tuple[Finding, ...]:
        """The findings that make a kernel wrong."""
        return tuple(finding for finding in self.findings if finding.kind.breaks)

    @property
    def errors(self) -> tuple[EmulatorError, ...]:
        """The deadlocks, endless loops and forbidden accesses."""
        return tuple(outcome.error for outcome in self.outcomes if outcome.error is not None)


def explore(
    launch: Launch,
    policies: Iterable[Policy] = tuple(POLICIES.values()),
    *,
    seed: int = 0,
    step_limit: int = STEP_LIMIT,
) -> Report:
    """Run `launch` under each policy, watching for hazards; errors become part of the report."""
    return Report(tuple(_run(launch, policy, seed, step_limit) for policy in policies))


def _run(launch: Launch, policy: Policy, seed: int, step_limit: int) -> Outcome:
    findings = Findings()
    try:
        result = execute(launch, policy, watch=findings, seed=seed, step_limit=step_limit)
    except EmulatorError as error:
        return Outcome(policy.name, (), findings.list(), error)
    return Outcome(policy.name, tuple(result.outputs), findings.list())

"""The plan of a run: all decisions before it starts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.measure.placements import count_places
from shflbench.measure.workload import INPUT_SETS
from shflbench.patterns.discover import load
from shflbench.session.rows import wants
from shflbench.store import RunInfo, RunSettings, SuiteText, surroundings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.core.model import Case, Overrides, Suite, Target
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.measure.executor import Executor
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.store import ResumedRun


@dataclass(frozen=True)
class Plan:
    """One run: the suite, the compiler, the architecture and the executor."""

    suite: Suite
    toolchain: Toolchain
    arch: str
    executor: Executor | None  # None: compile only
    cache_folder: Path | None
    sms: int | None  # of the device, or given by the user; None leaves grids open that depend on it
    seed: int = 0
    loaded: Mapping[str, LoadedPattern] | None = None  # the patterns, where another plan has loaded them
    # Dynamic shared memory by case, once known; plans with the same patterns may share it.
    shared_bytes: dict[Case, int] = field(default_factory=dict, compare=False, repr=False)
    counts_launches: bool = False  # whether the run ends with counting what its launches do

    def close(self) -> None:
        """Close the executor."""
        if self.executor is not None:
            self.executor.close()

    @cached_property
    def patterns(self) -> Mapping[str, LoadedPattern]:
        """The patterns of the suite, by name; PatternError if a folder does not load."""
        if self.loaded is not None:
            return self.loaded
        return {name: load(folder) for name, folder in self.suite.pattern_folders.items()}

    @cached_property
    def _target(self) -> Target:
        return self.toolchain.target(self.arch)

    def unsupported_reason(self, case: Case) -> str:
        """Return why `case` cannot be compiled for the architecture with these headers; empty if it can."""
        return self.patterns[case.pattern].declaration.variant(case.variant).unsupported_reason(self._target)

    def unfinished_cases(self, stopped: ResumedRun | None) -> list[Case]:
        """Return the cases that a stopped run did not finish."""
        known = {row.case_id: row for row in stopped.rows} if stopped else {}
        most = self.suite.rules.processes

        def is_unfinished(case: Case) -> bool:
            return case.id not in known or (self.executor is not None and wants(known[case.id], most))

        return [case for case in self.suite.cases if not self.unsupported_reason(case) and is_unfinished(case)]

    @property
    def groups(self) -> dict[str, list[Case]]:
        """The cases by group, both in the order of the suite."""
        return group_by(self.suite.cases, lambda case: case.group)


def run_info(plan: Plan, overrides: Overrides, argv: Sequence[str]) -> RunInfo:
    """Return the record of a run that starts now; `overrides` are already applied to `plan.suite`."""
    suite = plan.suite
    device = plan.executor.device if plan.executor and plan.executor.timed else None  # none for the emulator
    rules = suite.rules
    if device:  # as many contexts as its memory can hold
        rules = replace(rules, places=count_places(rules.places, 1, device.memory_bytes))
    return RunInfo(
        suite=SuiteText(suite.name, suite.title, suite.path.name, suite.text),
        settings=RunSettings(**asdict(rules), seed=plan.seed, input_sets=INPUT_SETS, sms=plan.sms, overrides=overrides),
        argv=tuple(argv),
        versions=replace(
            surroundings.versions(
                nvrtc=plan.toolchain.version,
                cccl=plan.toolchain.cccl_version,
                nvdisasm=plan.toolchain.nvdisasm_version(),
                driver=(device.driver or None) if device else None,
                cuda=device.cuda if device else None,
            ),
            compiler_build=plan.toolchain.build,
        ),
        device=device,
        backend=plan.executor.name if plan.executor else "none",
        arch=plan.arch,
        host=surroundings.host(),
        started=surroundings.utc_now(),
        finished=None,
        resumed=(),
        notes=(),
        thresholds=suite.thresholds,
        waits_for_memory=tuple(
            f"{name}/{variant.name}"
            for name, pattern in plan.patterns.items()
            for variant in pattern.declaration.variants
            if variant.waits_for_memory
        ),
        revision=surroundings.revision(suite.path),
    )

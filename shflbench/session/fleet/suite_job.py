"""The work that all devices of a fleet have in common, and how it is done."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.patterns.discover import load
from shflbench.session import Plan

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from shflbench.core.model import Case, Suite
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.session.fleet.executor import RemoteExecutor
    from shflbench.session.run_request import RunRequest
    from shflbench.store.fleet_file import FleetMember


@dataclass(frozen=True)
class SuiteJob:
    """A suite, the settings of its run, and the compiler."""

    suite: Suite
    request: RunRequest
    toolchain: Toolchain
    cache: Path | None
    argv: Sequence[str] = ()  # the command line, as the records of runs keep it

    def plan(self, arch: str, executor: RemoteExecutor | None, groups: Collection[str] | None = None) -> Plan:
        """Return the plan for one device; `groups` of the suite, or the whole suite if None."""
        suite = self.suite
        if groups is not None:
            suite = replace(suite, cases=tuple(case for case in suite.cases if case.group in groups))
        sms = executor.device.sms if executor else None
        seed, patterns, shared = self.request.seed, self._patterns, self._shared_bytes
        return Plan(suite, self.toolchain, arch, executor, self.cache, sms, seed, patterns, shared)

    @cached_property
    def _patterns(self) -> Mapping[str, LoadedPattern]:
        """The patterns of the suite, which take 5 ms each to load and to check: once for all devices."""
        return {name: load(folder) for name, folder in self.suite.pattern_folders.items()}

    @cached_property
    def _shared_bytes(self) -> dict[Case, int]:
        """What the plans fill by functions of patterns, which take 0.1 ms each to call: once for all devices."""
        return {}

    def cases(self, member: FleetMember) -> list[Case]:
        """Return the cases of a member."""
        return [case for case in self.suite.cases if member.groups is None or case.group in member.groups]

    @property
    def group_sizes(self) -> Mapping[str, int]:
        """The number of cases of each group, in the order of the suite."""
        return Counter(case.group for case in self.suite.cases)

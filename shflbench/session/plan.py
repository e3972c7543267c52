"""Everything that is decided before a run starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.patterns.discover import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.backends.base import Backend
    from shflbench.compile.toolchain import Toolchain
    from shflbench.model import Case, Suite
    from shflbench.patterns.discover import LoadedPattern


@dataclass(frozen=True)
class Plan:
    """One run: which suite, compiled by what and for which architecture, run by whom."""

    suite: Suite
    toolchain: Toolchain
    arch: str
    backend: Backend | None  # None: compile only
    cache_folder: Path | None
    sms: int | None  # of the device, or as the user says; None leaves grids open that depend on it
    seed: int = 0

    @cached_property
    def patterns(self) -> Mapping[str, LoadedPattern]:
        """The patterns of the suite, by name; PatternError if a folder does not load."""
        return {name: load(folder) for name, folder in self.suite.pattern_folders.items()}

    def lacking(self, case: Case) -> str:
        """Return why the architecture cannot run `case`, empty if it can."""
        return self.patterns[case.pattern].declaration.variant(case.variant).lacking(self.arch)

    @property
    def groups(self) -> dict[str, list[Case]]:
        """The cases by group, both in the order of the suite."""
        groups: dict[str, list[Case]] = {}
        for case in self.suite.cases:
            groups.setdefault(case.group, []).append(case)
        return groups

"""Read a history, and select what is shown of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError, UsageError
from shflbench.store.history.marks import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from shflbench.analysis.history.findings import SuiteHistory
    from shflbench.cli.console import Console


def read_histories(
    console: Console, folder: Path, *, suites: Sequence[str] = (), gpus: Sequence[str] = (), cases: Sequence[str] = ()
) -> list[SuiteHistory]:
    """Return the suites of a history that the names select; warn of files that are not read.

    UsageError for a name that selects nothing, ResultsError where there is no run.
    """
    from shflbench.analysis.history.findings import history_of
    from shflbench.store.history.folder import read_history
    from shflbench.store.history.marks import read_marks

    history, marks = read_history(folder), read_marks(folder)
    for problem in (*history.problems, *marks.problems):
        console.warn(problem)
    if not history.runs:
        raise ResultsError(f"{folder} has no run that can be read", "add one: shflbench history add RUN --to FOLDER")
    _require_known("suite", suites, {run.suite for run in history.runs})
    runs = [run for run in history.runs if not suites or run.suite in suites]
    known = {name for run in runs for name in (run.machine.gpu, run.machine.gpu_name) if name}
    _require_known("GPU", gpus, known)
    runs = [run for run in runs if not gpus or {run.machine.gpu, run.machine.gpu_name} & {*gpus}]
    shown = [_of_cases(suite, cases) for suite in history_of(runs, marks.marks)]
    for pattern in cases:
        if not any(matches(pattern, level.case) for suite in shown for level in suite.levels):
            raise UsageError(f"no case is called `{pattern}`", "list them: shflbench history show FOLDER --all")
    return [suite for suite in shown if suite.levels]


def _require_known(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise UsageError for a name that the history does not have."""
    for name in names:
        if name not in known:
            raise UsageError(f"the history has no {what} `{name}`", f"there are: {', '.join(sorted(known))}")


def _of_cases(suite: SuiteHistory, patterns: Sequence[str]) -> SuiteHistory:
    """Return a suite with the cases that a pattern selects; all without patterns."""
    if not patterns:
        return suite

    def is_selected(case: str) -> bool:
        return any(matches(pattern, case) for pattern in patterns)

    return replace(
        suite,
        changes=tuple(change for change in suite.changes if is_selected(change.case)),
        likely=tuple(change for change in suite.likely if is_selected(change.case)),
        levels=tuple(level for level in suite.levels if is_selected(level.case)),
    )

"""Add runs to a history, and print a line per run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.session.history.add import Addition


def add_runs(console: Console, paths: Sequence[Path], folder: Path, revision: str | None) -> int:
    """Add the runs at or below `paths` to the history in `folder`; return 3 if some cannot be in one, else 0."""
    from shflbench.session.history.add import Refusal, add_all
    from shflbench.store import find_runs

    code = 0
    for result in add_all(find_runs(paths), folder, revision):
        if isinstance(result, Refusal):
            console.error(result.error.message, result.error.advice)
            code = result.error.exit_code
            continue
        for note in result.notes:
            console.warn(note)
        console.data(_line(result))
    return code


def _line(addition: Addition) -> str:
    """Return what was done with a run."""
    path, run, added = addition.folder, addition.run, addition.added
    if not added.is_new:
        return f"{path} is in the history already: {added.path}"
    timed = sum(case.time_us is not None for case in run.cases)
    parts = [
        f"{timed} of {count_noun(len(run.cases), 'case')} timed",
        run.machine.gpu_name or "unknown GPU",
        f"revision {run.commit}{' with changes' if run.is_dirty else ''}" if run.commit else "unknown revision",
    ]
    if recompiled := sum(bool(case.kernel.recompiled) for case in run.cases):
        parts.append(f"earlier source recompiled for {count_noun(recompiled, 'case')}")
    return f"{path} added as {added.path}: {', '.join(parts)}"

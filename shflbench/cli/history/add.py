"""Add runs to a history, and print a line per run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.session.history.add import Addition


def add_runs(console: Console, paths: Sequence[Path], folder: Path, revision: str | None) -> None:
    """Add the runs at or below `paths` to the history in `folder`."""
    from shflbench.session.history.add import add
    from shflbench.store import find_runs

    for path in find_runs(paths):
        addition = add(path, folder, revision)
        for note in addition.notes:
            console.warn(note)
        console.data(_line(path, addition))


def _line(path: Path, addition: Addition) -> str:
    """Return what was done with a run."""
    run, added = addition.run, addition.added
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

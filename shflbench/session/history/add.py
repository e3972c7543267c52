"""Add runs to a history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.session.history.condense import condense
from shflbench.store import read_run
from shflbench.store.history import run_file
from shflbench.store.history.folder import (
    AddedRun,
    add_run,
    add_sources,
    path_of,
    read_file,
    require_addable,
    require_addable_run,
    run_paths,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from shflbench.session.history.condense import CondensedRun
    from shflbench.store.history.record import HistoryRun


@dataclass(frozen=True, slots=True)
class Addition:
    """A run that was added, or that the history had."""

    folder: Path  # of the run
    run: HistoryRun
    added: AddedRun
    notes: tuple[str, ...]  # a sentence each


@dataclass(frozen=True, slots=True)
class Refusal:
    """A run that cannot be in a history."""

    folder: Path  # of the run
    error: ResultsError


def add_all(runs: Iterable[Path], folder: Path, revision: str | None = None) -> Iterator[Addition | Refusal]:
    """Add the runs in folders to the history in `folder`, and yield what became of each.

    `revision` replaces the recorded one. Where source and compiler changed since the run before, the old source is
    compiled with the new compiler, if it is installed. ResultsError where a file cannot be written.
    """
    require_addable(folder)
    for path in runs:
        try:
            condensed = condense(read_run(path), revision)
            require_addable_run(condensed.run, path)
        except ResultsError as error:
            yield Refusal(path, error)
        else:
            yield _add(path, condensed, folder)


def _add(path: Path, condensed: CondensedRun, folder: Path) -> Addition:
    run = condensed.run
    if known := path_of(folder, run):
        return Addition(path, run, AddedRun(known, is_new=False), ())
    run = _with_recompiled(condensed, folder)
    units = {f"{name}{run_file.ENDING}": run_file.pack(unit.encode()) for name, unit in condensed.units.items()}
    add_sources(folder, units)
    return Addition(path, run, add_run(folder, run), condensed.notes)


def _with_recompiled(condensed: CondensedRun, folder: Path) -> HistoryRun:
    """Return the run, with `recompiled` where its compiler is another one than that of the run before."""
    run, before = condensed.run, run_before(folder, condensed.run)
    if before is None or before.machine.compiled_by == run.machine.compiled_by:
        return run
    from shflbench.session.history.recompile import recompile  # noqa: PLC0415  (loads the compiler; seldom needed)

    return recompile(run, before, folder, condensed.units)


def run_before(folder: Path, run: HistoryRun) -> HistoryRun | None:
    """Return the last earlier run of the suite on this GPU or, if there is none, on its model; None if there is none.

    Series are of one GPU, and runs on several GPUs of a model alternate.
    """
    of_model = None
    started = run_file.digits_of(run.started)
    for path in reversed([path for path in run_paths(folder, run.suite) if path.name < started]):
        try:
            earlier = read_file(path)
        except ResultsError:  # commands that read the history name it
            continue
        if earlier.machine.gpu == run.machine.gpu:
            return earlier
        if of_model is None and earlier.machine.gpu_name == run.machine.gpu_name:
            of_model = earlier
    return of_model

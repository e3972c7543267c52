"""Add runs to a history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.session.history.condense import condense
from shflbench.session.history.recompile import recompile
from shflbench.store import read_run
from shflbench.store.history import run_file
from shflbench.store.history.folder import (
    AddedRun,
    add_run,
    add_sources,
    path_of,
    read_file,
    require_addable,
    run_paths,
)

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.store.history.record import HistoryRun


@dataclass(frozen=True, slots=True)
class Addition:
    """A run that was added, or that the history had."""

    run: HistoryRun
    added: AddedRun
    notes: tuple[str, ...]  # a sentence each


def add(run_folder: Path, folder: Path, revision: str | None = None) -> Addition:
    """Add the run in `run_folder` to the history in `folder`; `revision` replaces the recorded one.

    Where source and compiler changed since the run before, the source of that run is compiled with this run's compiler,
    if it is installed. ResultsError for a run without times, and where a file cannot be written.
    """
    require_addable(folder)
    condensed = condense(read_run(run_folder), revision)
    run = condensed.run
    if path := path_of(folder, run):
        return Addition(run, AddedRun(path, is_new=False), ())
    before = run_before(folder, run)
    if before:
        run = recompile(run, before, folder, condensed.units)
    units = {f"{name}{run_file.ENDING}": run_file.pack(unit.encode()) for name, unit in condensed.units.items()}
    add_sources(folder, units)
    return Addition(run, add_run(folder, run), condensed.notes)


def run_before(folder: Path, run: HistoryRun) -> HistoryRun | None:
    """Return the last earlier run of the same suite on the same model of GPU; None if there is none."""
    started = run_file.digits_of(run.started)
    for path in reversed([path for path in run_paths(folder, run.suite) if path.name < started]):
        try:
            earlier = read_file(path)
        except ResultsError:  # `show` and `report` name it
            continue
        if earlier.machine.gpu_name == run.machine.gpu_name:
            return earlier
    return None

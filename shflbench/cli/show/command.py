"""Print the tables of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, headed
from shflbench.cli.parameters import OUTPUT_FILE, PATH

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store import Run, RunInfo


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=PATH)
@headed("Options", OUTPUT_FILE)
@click.pass_obj
def command(console: Console, results: tuple[Path, ...]) -> None:
    """Print the tables of runs.

    RESULTS are run folders, or folders that hold runs.
    """
    from shflbench.store import find_runs, read_run

    for number, folder in enumerate(find_runs(results)):
        if number:
            console.data("")
        _show(read_run(folder), console)


def _show(run: Run, console: Console) -> None:
    from shflbench.analysis import sentences
    from shflbench.cli.show.tables import by_group, group_table

    for note in run.notes:
        console.warn(note)
    console.data(f"{run.folder}: {headline(run.info)}")
    for rows in by_group(run.rows):
        console.data("")
        console.table(group_table(rows), data=True)
    if lines := sentences(run.rows):
        console.data("")
        console.data("\n".join(lines))


def headline(info: RunInfo) -> str:
    """Return suite, device and date of a run in one line."""
    where = f"no GPU, {'emulated' if info.backend == 'emulator' else 'compiled for'} {info.arch}"
    if info.device:
        where = f"{info.device.name}, driver {info.device.driver}, CUDA {info.device.cuda}"
    return f"suite {info.suite.name}, {where}, {info.started[:10]}"

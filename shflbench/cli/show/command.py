"""Show the tables of an earlier run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from shflbench.cli.console import Console
    from shflbench.store import Run, RunInfo


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_obj
def command(console: Console, results: tuple[Path, ...]) -> None:
    """Show the tables of an earlier run.

    RESULTS are run folders, or folders that hold them.
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
    """Say in one line what was measured where and when."""
    where = f"no GPU, {'emulated' if info.backend == 'emulator' else 'compiled for'} {info.arch}"
    if info.device:
        where = f"{info.device.name}, driver {info.device.driver}, CUDA {info.device.cuda}"
    return f"suite {info.suite.name}, {where}, {info.started[:10]}"

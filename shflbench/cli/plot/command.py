"""Draw the charts of earlier runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("plots"),
    show_default=True,
    help="Folder for the charts, which lie in <suite>/<run folder> below it.",
)
@click.option(
    "--format",
    "kinds",
    type=click.Choice(["svg", "png"]),
    multiple=True,
    default=["svg"],
    show_default=True,
    help="How to save a chart; may be repeated.",
)
@click.pass_obj
def command(console: Console, results: tuple[Path, ...], output: Path, kinds: tuple[str, ...]) -> None:
    """Draw the charts of earlier runs.

    RESULTS are run folders, or folders that hold them. The files' paths are printed; runs without times are left out.
    """
    from shflbench.store import find_runs, read_run

    runs = [read_run(folder) for folder in find_runs(results)]
    timed = [run for run in runs if any(row.time_us is not None for row in run.rows)]
    if not timed:
        names = ", ".join(str(run.folder) for run in runs)
        message = f"there is nothing to draw: no case was timed in {names}"
        raise ResultsError(message, "`shflbench show` prints what such a run holds; times need a GPU")
    from shflbench.plot import draw

    for run in runs:
        for note in run.notes:
            console.warn(note)
        if run not in timed:
            console.say(f"{run.folder}: nothing to draw, because no case was timed")
            continue
        for path in draw(run, output / run.info.suite.name / run.folder.resolve().name, kinds):
            console.data(str(path))

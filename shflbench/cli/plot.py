"""Draw the charts of runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cli.console import Console
    from shflbench.store import Run


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=PATH)
@add_heading(
    "Options",
    option(
        "-o",
        "--output",
        metavar="FOLDER",
        type=PATH,
        default=Path("plots"),
        show_default=True,
        help="Save charts in FOLDER/<suite>/<run>, those of a fleet's member in FOLDER/<suite>/<fleet>/<run>.",
    ),
    option("--all", "every", is_flag=True, help="Draw every chart, not only those that answer the suite's questions."),
    option(
        "--format",
        "kinds",
        metavar="FORMAT",
        type=click.Choice(["svg", "png"]),
        multiple=True,
        default=["svg"],
        show_default=True,
        help="Save charts as svg or png (repeatable).",
    ),
)
@click.pass_obj
def command(console: Console, results: tuple[Path, ...], output: Path, kinds: tuple[str, ...], *, every: bool) -> None:
    """Draw the charts of runs.

    RESULTS are run folders, or folders that hold runs. Draws the charts that the suite of a run declares under
    `charts`; if it declares none, those that show the most settings, at most six. Prints the paths of the charts. Runs
    without times are skipped.
    """
    from shflbench.store import find_runs, read_run

    runs = [read_run(folder) for folder in find_runs(results)]
    timed = [run for run in runs if any(row.time_us is not None for row in run.rows)]
    if not timed:
        names = ", ".join(str(run.folder) for run in runs)
        message = f"there is nothing to draw: no case was timed in {names}"
        raise ResultsError(message, "draw a run that was measured on a GPU; `shflbench show` prints this one")
    from shflbench.output.plot import all_charts, default_charts, draw

    places = _places(runs)
    for run in runs:
        for note in run.notes:
            console.warn(note)
        if run not in timed:
            console.say(f"{run.folder}: nothing to draw, because no case was timed")
            continue
        available = all_charts(run)
        charts = available if every else default_charts(run, available)
        for path in draw(run, output / places[run.folder], kinds, charts):
            console.path(path)
        if len(charts) < len(available):
            console.say(f"{run.folder}: {len(charts)} of {len(available)} charts; --all draws every chart")


def _places(runs: Sequence[Run]) -> dict[Path, Path]:
    """Return the folder of each run's charts, by its own: suite and name, and as much of its path as tells it apart."""
    from shflbench.store.fleet_file import is_fleet

    paths = {run.folder: run.folder.resolve() for run in runs}
    lengths = {run.folder: 1 + is_fleet(paths[run.folder].parent) for run in runs}
    while True:
        last = {folder: path.parts[-lengths[folder] :] for folder, path in paths.items()}
        places = {run.folder: Path(run.info.suite.name, *last[run.folder]) for run in runs}
        several = Counter(place for place, _ in {(place, paths[folder]) for folder, place in places.items()})
        same = [folder for folder, place in places.items() if several[place] > 1]
        if not same:
            return places
        lengths |= {folder: lengths[folder] + 1 for folder in same}

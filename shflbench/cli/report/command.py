"""Write a report of runs as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, headed, option
from shflbench.cli.parameters import BASELINES, PATH

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=PATH)
@headed(
    "Options",
    option(
        "-o",
        "--output",
        metavar="FILE",
        type=PATH,
        default=Path("report.html"),
        show_default=True,
        help="Write the report to this file.",
    ),
    option("--title", metavar="TEXT", help="Title of the report (default: the GPUs of the runs)."),
    BASELINES,
)
@click.pass_obj
def command(console: Console, results: tuple[Path, ...], output: Path, title: str | None, baselines: Path) -> None:
    """Write a report of runs as one HTML file.

    RESULTS are run folders, or folders that hold runs. The file needs no network and no other file: send it, or open
    it from disk. Prints its path.
    """
    from shflbench.cli.output_file import write
    from shflbench.cli.report.claims import judged_claims
    from shflbench.cli.report.replace import refuse_other_files
    from shflbench.export.html import collect, render
    from shflbench.store import find_runs, read_run

    refuse_other_files(output)
    runs = [read_run(folder) for folder in find_runs(results)]
    for run in runs:
        for note in run.notes:
            console.warn(note)
    write(output, render(collect(runs, baselines, title or "", judged_claims(runs))), "--output")
    console.path(output)

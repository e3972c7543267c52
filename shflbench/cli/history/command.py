"""Keep the times of suites over months, and say what changed when, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import CommandGroup, add_heading, option
from shflbench.cli.parameters import PATH
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console


@click.group("history", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Keep the times of suites over months, and say what changed when, and why.

    A history is a folder with a small file per run, which can be committed to git.
    """
    if context.invoked_subcommand is None:
        context.obj.report(context.get_help())
        context.exit(UsageError.exit_code)


@command.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=PATH)
@add_heading(
    "Options",
    option("--to", "folder", metavar="FOLDER", required=True, type=PATH, help="Folder of the history."),
    option(
        "--revision",
        metavar="TEXT",
        show_default="commit of the repository that holds the suite, recorded by the run",
        help="Revision of the code that was measured.",
    ),
)
@click.pass_obj
def add(console: Console, runs: tuple[Path, ...], folder: Path, revision: str | None) -> int:
    """Add runs to a history.

    RUN is a run folder, or a folder that holds several. Prints a line per run. A run that the history has is not added
    again. Exits 3 if a run has no times or is not finished; the others are added. Where both the source of a kernel and
    its compiler changed, compiles the source of the run before, to tell which of them changed the machine code.
    """
    from shflbench.cli.history.add import add_runs

    return add_runs(console, runs, folder, revision)

"""Keep the times of suites over months, and say what changed when, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import CommandGroup, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, format_option
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from shflbench.cli.console import Console

FILTERS = (
    option("--suite", "suites", metavar="NAME", multiple=True, help="Show only this suite (repeatable)."),
    option("--gpu", "gpus", metavar="UUID", multiple=True, help="Show only this GPU (repeatable)."),
    option("--case", "cases", metavar="ID", multiple=True, help="Show only these cases; * is any text (repeatable)."),
)


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


@command.command()
@click.argument("folder", metavar="FOLDER", type=PATH)
@add_heading(
    "Filters",
    *FILTERS,
    option(
        "--days",
        metavar="N",
        type=click.IntRange(1, 36500),
        default=30,
        show_default=True,
        help="Show what was seen in this number of days before the newest run.",
    ),
    option("--all", "is_complete", is_flag=True, help="Show all changes, ignored ones, and the level of each case."),
)
@add_heading("Options", format_option(("text", "json")), OUTPUT_FILE)
@click.pass_obj
def show(
    console: Console, /, folder: Path, form: str, *, days: int, is_complete: bool, **filters: tuple[str, ...]
) -> None:
    """Say what changed when, and why.

    FOLDER is a history. A change is an alarm after three runs in a row, or more in noisy series; it names the last run
    before and the first one after it, and what changed with them.
    """
    from shflbench.cli.history.read import read_histories
    from shflbench.cli.history.show import ShownHistory, print_history

    histories = read_histories(console, folder, **filters)
    if form == "json":
        from shflbench.cli.history.document import to_json

        console.json(to_json(histories))
        return
    print_history(console, histories, ShownHistory(None if is_complete else days, is_complete))


@command.command()
@click.argument("folder", metavar="FOLDER", type=PATH)
@add_heading("Filters", *FILTERS)
@add_heading(
    "Options",
    option(
        "-o",
        "--output",
        metavar="FILE",
        type=PATH,
        default=Path("history.html"),
        show_default=True,
        help="Write the report to this file.",
    ),
    option("--title", metavar="TEXT", help="Title of the report (default: the suites)."),
)
@click.pass_obj
def report(console: Console, /, folder: Path, output: Path, title: str | None, **filters: tuple[str, ...]) -> None:
    """Write what changed when, and why, as one HTML file.

    FOLDER is a history. The file begins with the changes of the last 30 days, and has a chart for each case. It needs
    no network and no other file. Prints its path.
    """
    from shflbench.cli.history.read import read_histories
    from shflbench.output.export.history.page import GENERATOR, render
    from shflbench.store.output_file import refuse_other_pages, write

    refuse_other_pages(output, GENERATOR)
    write(output, render(read_histories(console, folder, **filters), title or ""), "--output")
    console.path(output)


@command.command()
@click.argument("folder", metavar="FOLDER", type=PATH)
@click.argument("case", metavar="CASE")
@add_heading(
    "Options",
    option(
        "--as",
        "kind",
        type=click.Choice(["intended", "known", "ignore"]),
        required=True,
        help="intended: the new level is right; known: somebody works on it; ignore: do not show it.",
    ),
    option(
        "--since",
        metavar="DAY",
        show_default="all changes of the cases",
        help="Day of the change, such as 2026-11-20: of the run before, of the first one after it, or between.",
    ),
    option("--reason", metavar="TEXT", required=True, help="Why."),
)
@click.pass_obj
def mark(console: Console, folder: Path, case: str, *, kind: str, since: str | None, reason: str) -> None:
    """Record what is known about a change.

    FOLDER is a history, CASE the id of a case, with * for any text. Appends an entry to marks.yaml in FOLDER, which can
    be reviewed and edited as any text, and prints how many changes it is of.
    """
    from shflbench.cli.history.mark import mark_changes
    from shflbench.store.history.marks import Mark, MarkKind

    mark_changes(console, folder, Mark(case=case, since=since or "", kind=MarkKind(kind), reason=reason))

"""Keep runs under a name, to compare later ones with."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.environment import baselines_folder
from shflbench.cli.layout import Line, Table
from shflbench.errors import ResultsError, UsageError
from shflbench.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cli.console import Console
    from shflbench.store import Run
    from shflbench.store.baselines import BaselineEntry

FOLDER = click.option(
    "--baselines",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    default=baselines_folder,
    show_default="SHFLBENCH_BASELINES, else baselines",
    help="Where the baselines are.",
)


@click.group("baseline", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Keep runs under a name, to compare later ones with.

    A baseline is a copy of runs in a folder that git can keep, for each suite and model of GPU: `shflbench baseline
    save main RUN` keeps one, and `shflbench compare main NEW` takes the one that fits.
    """
    if context.invoked_subcommand is None:
        context.obj.say(context.get_help())
        context.exit(UsageError.exit_code)


@command.command()
@click.argument("name")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@FOLDER
@click.option("--force", is_flag=True, help="Replace what the baseline has of this suite and GPU.")
@click.option("--allow-failed", is_flag=True, help="Take runs with cases that failed or are incorrect, too.")
@click.pass_obj
def save(console: Console, name: str, runs: tuple[Path, ...], folder: Path, *, force: bool, allow_failed: bool) -> None:
    """Save runs as the baseline NAME.

    RUN is a run folder, or one that holds some; all are of one suite on one model of GPU, and together they are a
    baseline of more processes. NAME is of lower-case letters, digits, `.`, `_` and `-`. The baseline's folder is
    printed.
    """
    from shflbench.store import find_runs
    from shflbench.store.baselines import Baselines

    folders = [run for path in runs for run in find_runs([path])]
    saved = Baselines(folder).save(name, folders, force=force, allow_failed=allow_failed)
    for warning in saved.warnings:
        console.warn(warning)
    console.data(str(saved.entry.folder))


@command.command("list")
@FOLDER
@click.pass_obj
def listing(console: Console, folder: Path) -> int:
    """List the baselines.

    Exits 3 if one is damaged.
    """
    from shflbench.store.baseline_runs import Facts
    from shflbench.store.baselines import Baselines

    entries = Baselines(folder).entries()
    if not entries:
        console.say(f"There are no baselines in {folder}. Save one: shflbench baseline save NAME RUN")
    lines, damaged = [], 0
    for entry in entries:
        try:
            facts = Facts.of(entry.read())
        except ResultsError as error:
            console.warn(f"`{entry.name}` is left out: {error.message}; {error.advice}")
            damaged = error.exit_code
            continue
        counts = str(facts.processes), str(facts.cases)
        lines.append(Line((entry.name, entry.suite, facts.device, *counts, facts.dates, facts.commits, facts.drivers)))
    if lines:
        columns = ("name", "suite", "GPU", "processes", "cases", "date", "commit", "driver")
        console.table(Table("", columns, tuple(lines)), data=True)
    return damaged


@command.command()
@click.argument("name")
@FOLDER
@click.pass_obj
def show(console: Console, name: str, folder: Path) -> None:
    """Show the baseline NAME: GPUs, software, noise and settings."""
    from shflbench.store.baselines import Baselines

    for number, entry in enumerate(Baselines(folder).matching(name)):
        if number:
            console.data("")
        _show(entry, entry.read(), console)


@command.command()
@click.argument("name")
@FOLDER
@click.option("--suite", help="Remove what it has of this suite only.")
@click.option("--gpu", metavar="MODEL", help="Remove what it has of this model of GPU only, such as nvidia-h200.")
@click.pass_obj
def rm(console: Console, name: str, folder: Path, suite: str | None, gpu: str | None) -> None:
    """Remove the baseline NAME."""
    from shflbench.store.baselines import Baselines

    removed = Baselines(folder).remove(name, suite, gpu)
    for entry in removed.entries:
        console.say(f"removed {entry.name}: {entry.suite} on {entry.gpu}")
    for path in removed.kept:
        console.say(f"{path} stays: it is no part of the baseline")


def _show(entry: BaselineEntry, runs: Sequence[Run], console: Console) -> None:
    from shflbench.store.baseline_runs import Facts

    facts = Facts.of(runs)
    console.data(
        f"{entry.name}: suite {entry.suite} on {facts.device}, processes: {facts.processes}, cases: {facts.cases}"
    )
    console.data("")
    columns = ("run", "started", "driver", "CUDA", "commit", "GPU", "noise", "sentinels")
    console.table(Table("", columns, tuple(map(_line, runs))), data=True)
    console.data("")
    shared = group_by(runs, _settings)
    for text, alike in shared.items():
        of = f" of run {', '.join(run.folder.name for run in alike)}" if len(shared) > 1 else ""
        console.data(f"settings{of}: {text}")


def _line(run: Run) -> Line:
    from shflbench.store.baseline_runs import edition

    info = run.info
    facts = (info.versions.driver, info.versions.cuda, edition(run), info.device and info.device.uuid)
    noise = info.noise.verdict if info.noise else ""
    return Line(
        (str(run.folder), info.started, *(text or "" for text in facts), noise, info.sentinel_version or "none")
    )


def _settings(run: Run) -> str:
    known = {name: value for name, value in asdict(run.info.settings).items() if value is not None}
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in known.items())

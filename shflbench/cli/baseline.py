"""Store runs under a name, as a base for later comparisons."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import CommandGroup, add_heading, option
from shflbench.cli.layout import Line, Table
from shflbench.cli.parameters import BASELINES, PATH
from shflbench.core.grouping import group_by
from shflbench.errors import ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store import Run
    from shflbench.store.baselines import BaselineEntry

RUNS = click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=PATH)


@click.group("baseline", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Store runs under a name, as a base for later comparisons.

    A baseline is a copy of runs in a folder that can be committed to git, one per suite and GPU model. `shflbench
    baseline save main RUN` saves one; `shflbench compare main NEW` compares with it.
    """
    if context.invoked_subcommand is None:
        context.obj.report(context.get_help())
        context.exit(UsageError.exit_code)


@command.command()
@click.argument("name")
@RUNS
@add_heading(
    "Options",
    option(
        "--force",
        is_flag=True,
        help="Replace the baseline's runs of this suite and GPU model, instead of failing.",
    ),
    option("--allow-failed", is_flag=True, help="Accept runs with cases that failed or are incorrect."),
    BASELINES,
)
@click.pass_obj
def save(
    console: Console, name: str, runs: tuple[Path, ...], baselines: Path, *, force: bool, allow_failed: bool
) -> None:
    """Save runs as the baseline NAME.

    RUN is a run folder, or a folder that holds several. All runs are of one suite on one GPU model; the samples of
    several runs are pooled by process. NAME consists of lower-case letters, digits, `.`, `_` and `-`. Prints the folder
    of the baseline.
    """
    from shflbench.store import find_runs
    from shflbench.store.baselines import Baselines

    folders = [run for path in runs for run in find_runs([path])]
    saved = Baselines(baselines).save(name, folders, force=force, allow_failed=allow_failed)
    for warning in saved.warnings:
        console.warn(warning)
    console.path(saved.entry.folder)


@command.command("list")
@add_heading("Options", BASELINES)
@click.pass_obj
def listing(console: Console, baselines: Path) -> int:
    """List the baselines.

    Exits 3 if one is damaged.
    """
    from shflbench.store.baseline_runs import BaselineSummary
    from shflbench.store.baselines import Baselines

    entries = Baselines(baselines).entries()
    if not entries:
        console.say(f"There are no baselines in {baselines}. Save one: shflbench baseline save NAME RUN")
    lines, damaged = [], 0
    for entry in entries:
        try:
            facts = BaselineSummary.of(entry.read())
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
@add_heading("Options", BASELINES)
@click.pass_obj
def show(console: Console, name: str, baselines: Path) -> None:
    """Print the GPUs, software, noise and settings of the baseline NAME."""
    from shflbench.store.baselines import Baselines

    for number, entry in enumerate(Baselines(baselines).matching(name)):
        if number:
            console.data("")
        _show(entry, entry.read(), console)


@command.command()
@click.argument("name")
@add_heading(
    "Options",
    option("--suite", metavar="NAME", help="Remove only the runs of this suite."),
    option("--gpu", metavar="MODEL", help="Remove only the runs on this GPU model, such as nvidia-h200."),
    BASELINES,
)
@click.pass_obj
def rm(console: Console, name: str, baselines: Path, suite: str | None, gpu: str | None) -> None:
    """Remove the baseline NAME, without confirmation."""
    from shflbench.store.baselines import Baselines

    removed = Baselines(baselines).remove(name, suite, gpu)
    for entry in removed.entries:
        console.say(f"removed {entry.name}: {entry.suite} on {entry.gpu}")
    for path in removed.kept:
        console.say(f"{path} is kept: it is not part of the baseline")


def _show(entry: BaselineEntry, runs: Sequence[Run], console: Console) -> None:
    from shflbench.store.baseline_runs import BaselineSummary

    facts = BaselineSummary.of(runs)
    console.data(
        f"{entry.name}: suite {entry.suite} on {facts.device}, processes: {facts.processes}, cases: {facts.cases}"
    )
    console.data("")
    columns = ("run", "started", "driver", "CUDA", "commit", "GPU", "noise", "sentinels")
    console.table(Table("", columns, tuple(map(_line, runs))), data=True)
    console.data("")
    shared = group_by(runs, _settings)
    for text, alike in shared.items():
        which = f" of {', '.join(run.folder.name for run in alike)}" if len(shared) > 1 else ""
        console.data(f"settings{which}: {text}")


def _line(run: Run) -> Line:
    from shflbench.store.baseline_runs import commit_of

    info = run.info
    facts = (info.versions.driver, info.versions.cuda, commit_of(run), info.device and info.device.uuid)
    noise = info.noise.verdict if info.noise else ""
    return Line(
        (str(run.folder), info.started, *(text or "" for text in facts), noise, info.sentinel_version or "none")
    )


def _settings(run: Run) -> str:
    known = {name: value for name, value in asdict(run.info.settings).items() if value is not None}
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in known.items())

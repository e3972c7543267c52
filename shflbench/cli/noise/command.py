"""Estimate a GPU's noise, or report the smallest slowdown that a gate would detect in each case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import CommandGroup, add_heading, option
from shflbench.cli.parameters import BASELINES, OUTPUT_FILE, PATH, format_option
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store import Run

RUNS = click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=PATH)
FORMAT = format_option(("table", "json"))


@click.group("noise", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Estimate a GPU's noise, or report the smallest slowdown that a gate would detect in each case.

    Both read runs of unchanged code: RUN is a run folder, or a folder that holds several.
    """
    if context.invoked_subcommand is None:
        context.obj.report(context.get_help())
        context.exit(UsageError.exit_code)


@command.command()
@RUNS
@add_heading("Options", BASELINES, FORMAT, OUTPUT_FILE)
@click.pass_obj
def learn(console: Console, runs: tuple[Path, ...], baselines: Path, form: str) -> int:
    """Estimate a GPU's noise from runs of unchanged code, and save it with the baselines.

    `compare` and `gate` use it for runs on this GPU and driver. Give runs of 20 processes or more. Prints a report,
    which -o writes to a file. Validates the estimate on held-out processes: exits 1 and saves nothing if more than 2%
    of their comparisons raise a false alarm with three processes per side.
    """
    from shflbench.cli.noise.learn import learn_noise

    return learn_noise(console, _read(runs), baselines, form)


@command.command()
@RUNS
@add_heading(
    "Options",
    option(
        "--noise",
        metavar="FILE",
        type=PATH,
        show_default="noise estimated per comparison",
        help="File written by `noise learn`.",
    ),
    FORMAT,
    OUTPUT_FILE,
)
@click.pass_obj
def test(console: Console, runs: tuple[Path, ...], noise: Path | None, form: str) -> int:
    """Report the smallest slowdown that a gate would detect in each case.

    Compares runs of unchanged code with one another. Also prints how often a gate would raise a false alarm, and which
    thresholds and how many processes to use.
    """
    from shflbench.cli.noise.test import self_test
    from shflbench.store.noise_file import read

    return self_test(console, _read(runs), read(noise) if noise else None, form)


def _read(paths: Sequence[Path]) -> list[Run]:
    from shflbench.store import find_runs, read_run

    return [read_run(folder) for folder in find_runs(paths)]

"""Serve check, judge and other commands as tools for agents, by the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH
from shflbench.errors import MissingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=Command)
@click.argument("folder", type=PATH, default=".")
@add_heading(
    "Options",
    option(
        "--allow-tasks",
        is_flag=True,
        help="Also run Python in FOLDER: tasks, the .py files that are the reference of `judge`, and the patterns and "
        "suites that `inspect` names by a path.",
    ),
)
def command(folder: Path, *, allow_tasks: bool) -> None:
    """Serve check, judge and other commands as tools for agents, by the Model Context Protocol.

    The client starts this command and speaks with it on stdin and stdout. Tools: check, bench, judge, advise, inspect
    and limits; their results are the JSON of the commands, see `shflbench schema`. Paths are relative to FOLDER, by
    default the current one, and those that lead out of it are refused. Only `bench` writes there: the run, below
    `results`. Compiled kernels are kept in the cache of shflbench. Ends when the client closes stdin.
    """
    if find_spec("mcp") is None:
        from shflbench.cuda.installation.extra import how_to_install

        raise MissingError("`shflbench mcp` needs the package mcp, which is not installed", how_to_install("mcp"))
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "Give the folder with the kernels.")
    from shflbench.cli.mcp.server import serve

    serve(folder.resolve(), allow_tasks=allow_tasks)

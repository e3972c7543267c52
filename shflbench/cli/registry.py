"""The commands by name, each a folder that is imported only when its command runs, so that `--help` stays fast."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {  # name → one-line help, in the order of use
    "run": "Run a suite: compile, verify, time and store every case.",
    "show": "Show the tables of an earlier run.",
    "plot": "Draw the charts of earlier runs.",
    "compare": "Compare two runs and say which cases got slower or faster.",
    "baseline": "Keep runs under a name, to compare later ones with.",
    "check": "Check kernels for races, deadlocks and wrong results without a GPU.",
    "new": "Write a first pattern of your own, which runs as it is.",
    "list": "List suites, patterns, variants or devices.",
    "validate": "Check suite files without running them.",
    "schema": "Print the JSON Schema of suite files, for editors.",
    "doctor": "Say what this machine has, what it lacks and how to get that.",
}


class LazyGroup(click.Group):
    """A command group that imports a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the commands' names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        """Import and return one command, None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        return cast(click.Command, import_module(f"shflbench.cli.{cmd_name}.command").command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's signature)
        """Write the list of commands from the registry alone."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the user meant; a usage error with the nearest name if there is none."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(COMMANDS)}"
            message = f"there is no command `{name}`; {hint}"
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

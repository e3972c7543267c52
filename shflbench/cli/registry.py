"""The commands by name, each a file or a folder that is imported only when it runs, so that `--help` stays fast."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from shflbench.cli.help import CommandGroup

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

HEADINGS: Mapping[str, Mapping[str, str]] = {  # heading → name → one-line help, the everyday ones first
    "Measure": {
        "bench": "Compare the kernels of a CUDA file: check them, compare their results, and time them.",
        "run": "Run a suite: compile, verify, time and store every case.",
        "show": "Show the results of runs.",
        "plot": "Draw the charts of runs.",
        "tune": "Find the fastest member of a pattern's family on a GPU.",
        "list": "List suites, patterns, variants and devices.",
        "doctor": "Check this machine, and say how to install what is missing.",
        "calibrate": "Measure what the units of this GPU can do, and compare it with the documents.",
    },
    "Understand": {
        "advise": "Say which variant to use for a pattern, or what a file's kernels exchange.",
        "report": "Write a report of runs as one HTML file.",
        "limits": "Show how close each case of a run comes to the least time that the hardware allows.",
        "prices": "Show what shuffles, barriers, fences and other primitives cost on several GPUs, side by side.",
        "inspect": "Show what each kernel's loop executes, and the least time that the hardware allows.",
        "claims": "Judge the claims of suites by the results of runs.",
    },
    "Guard against slowdowns": {
        "compare": "Compare two runs and say which cases got slower or faster.",
        "gate": "Run a suite, and fail if it is slower than a baseline.",
        "baseline": "Store runs under a name, as a base for later comparisons.",
        "history": "Keep the times of suites over months, and say what changed when, and why.",
        "noise": "Estimate a GPU's noise, or report the smallest slowdown that a gate would detect in each case.",
        "fleet": "Rank the devices of a fleet, and name those that are slow, noisy, hot, throttled or wrong.",
        "convert": "Convert results of other benchmark tools to a run.",
    },
    "Kernels and suites": {
        "check": "Check kernels for races and memory faults, without a GPU.",
        "judge": "Judge kernels: one verdict on each candidate.",
        "challenge": "Try kernels as challengers of a pattern's published variants.",
        "new": "Create a pattern and a suite to start from.",
        "validate": "Check suite files without running them.",
        "schema": "Print the JSON Schema of what a command prints, or of suite files.",
        "mcp": "Serve check, judge and other commands as tools for agents, by the Model Context Protocol.",
        "completion": "Print the completion script for a shell.",
    },
}
COMMANDS: Mapping[str, str] = {name: text for commands in HEADINGS.values() for name, text in commands.items()}


def module_of(name: str) -> ModuleType:
    """Import the module of a command: a file, or the one called `command` in a folder."""
    module = import_module(f"shflbench.cli.{name}")
    return import_module(f"{module.__name__}.command") if hasattr(module, "__path__") else module


class LazyGroup(CommandGroup):
    """The commands of shflbench; a command's module is imported when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the commands' names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        """Import and return one command, None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        return cast(click.Command, module_of(cmd_name).command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's signature)
        """Write the lists of commands from the registry alone."""
        for heading, commands in HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl(list(commands.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of this name; a usage error with the nearest name if there is none."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else f"; commands: {', '.join(COMMANDS)}"
            raise click.UsageError(f"there is no command `{name}`{hint}", ctx)
        return super().resolve_command(ctx, args)

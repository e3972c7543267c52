"""The option for the command line of the program in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import HeadedOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from shflbench.cli.help import Function


class HostArgsOption(HeadedOption):
    """An option that may be empty, and may be given once."""

    takes_empty = True


def host_args_option(default: str) -> Callable[[Function], Function]:
    """Return a decorator that gives a command the option `--host-args`."""
    return click.option(
        "--host-args",
        cls=HostArgsOption,
        metavar="WORDS",
        multiple=True,
        callback=_only_one,
        help="The command line of the program in the file, such as '1024 100'.",
        show_default=default,
    )


def _only_one(context: click.Context, parameter: click.Parameter, lines: tuple[str, ...]) -> str | None:
    if len(lines) > 1:
        text = "it is given twice. Give one command line, and several sizes by --arg, such as --arg n=1e6,1e7."
        raise click.BadParameter(text, context, parameter)
    return next(iter(lines), None)

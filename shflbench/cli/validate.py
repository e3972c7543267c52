"""Check suite files without running them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command
from shflbench.core.words import count_noun
from shflbench.errors import InputError

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command(cls=Command)
@click.argument("suites", nargs=-1, required=True)
@click.pass_obj
def command(console: Console, suites: tuple[str, ...]) -> int:
    """Check suite files without running them.

    SUITES are files, or names of suites that come with shflbench. Continues after an error.
    """
    from shflbench.suite import load, locate

    code = 0
    for name in suites:
        try:
            path = locate(name)
            console.data(f"{path}: {count_noun(len(load(path).cases), 'case')}")
        except InputError as error:
            console.error(error.message, error.advice)
            code = error.exit_code
    return code

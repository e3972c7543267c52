"""Check this machine, and say how to install what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command
from shflbench.cli.layout import Line, Table
from shflbench.core.environment import cache_folder
from shflbench.core.packages import broken_packages, missing_error, missing_packages
from shflbench.errors import MissingError

if TYPE_CHECKING:
    from shflbench.cli.console import Console
    from shflbench.cuda.installation.checkup import PartCheck


@click.command(cls=Command)
@click.pass_obj
def command(console: Console) -> int:
    """Check this machine, and say how to install what is missing.

    Exits 4 if the compiler is missing, or a required package is missing or cannot be imported.
    """
    if missing := missing_packages():
        raise missing_error(*missing)
    broken = list(broken_packages())
    if required := list({error.message: error for package, error in broken if not package.extra}.values()):
        for error in required[:-1]:
            console.error(error.message, error.advice)
        raise required[-1]
    from shflbench.cuda.installation.checkup import examine

    checkup = examine(cache_folder(), [error for _, error in broken])
    body = tuple(line for part in checkup.parts for line in _lines(part))
    console.table(Table("", ("", "part", "state"), body), data=True)
    console.data("")
    console.data(checkup.summary)
    return 0 if checkup.compiles else MissingError.exit_code


def _lines(part: PartCheck) -> list[Line]:
    style = "good" if part.good else "doubt"
    lines = [Line(("ok" if part.good else "--", part.part, part.detail), style)]
    if part.remedy:
        lines.append(Line(("", "", f"→ {part.remedy}")))
    return lines

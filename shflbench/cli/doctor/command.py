"""Check this machine, and say how to install what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.environment import cache_folder
from shflbench.cli.help import Command
from shflbench.cli.layout import Line, Table
from shflbench.errors import MissingError

if TYPE_CHECKING:
    from shflbench.cli.console import Console
    from shflbench.cli.doctor.checkup import PartCheck


@click.command(cls=Command)
@click.pass_obj
def command(console: Console) -> int:
    """Check this machine, and say how to install what is missing.

    Exits 4 if the compiler does not work.
    """
    from shflbench.cli.doctor.checkup import examine

    checkup = examine(cache_folder())
    body = tuple(line for finding in checkup.findings for line in _lines(finding))
    console.table(Table("", ("", "part", "found"), body), data=True)
    console.data("")
    console.data(checkup.summary)
    return 0 if checkup.compiles else MissingError.exit_code


def _lines(finding: PartCheck) -> list[Line]:
    style = "good" if finding.good else "doubt"
    lines = [Line(("ok" if finding.good else "--", finding.part, finding.detail), style)]
    if finding.remedy:
        lines.append(Line(("", "", f"→ {finding.remedy}")))
    return lines

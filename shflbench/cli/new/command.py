"""Write a first pattern of your own, which runs as it is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command()
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Folder to write it to.",
)
@click.pass_obj
def command(console: Console, name: str, into: Path) -> None:
    """Write a first pattern of your own, which runs as it is.

    NAME, such as `my-exchange`, gives the folder my_exchange with kernels.cu and pattern.py, and the suite
    my-exchange.yaml beside it. Put your kernels in their place. The files' names are printed.
    """
    from shflbench.patterns.new import write

    files = write(name, into)
    for file in files:
        console.data(str(file))
    suite, folder = files[-1], files[0].parent
    console.say(f"Next: shflbench run {shlex.quote(str(suite))}")
    console.say(f"      shflbench check {shlex.quote(f'./{folder}' if not folder.is_absolute() else str(folder))}")

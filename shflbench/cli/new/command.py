"""Create a pattern and a suite to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, headed, option
from shflbench.cli.parameters import PATH

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command(cls=Command)
@click.argument("name")
@headed(
    "Options",
    option(
        "-o",
        "--output",
        metavar="FOLDER",
        type=PATH,
        default=Path(),
        show_default="the current folder",
        help="Create the files in this folder.",
    ),
)
@click.pass_obj
def command(console: Console, name: str, output: Path) -> None:
    """Create a pattern and a suite to start from.

    NAME, such as `my-exchange`, creates the folder my_exchange with kernels.cu and pattern.py, and the suite
    my-exchange.yaml beside it. Both run as they are; replace the kernels with yours. Existing files are
    never overwritten. Prints the paths of the files.
    """
    from shflbench.patterns.new import write
    from shflbench.store.files import writing

    with writing(output.absolute(), "choose another folder by --output"):
        files = write(name, output)
    for file in files:
        console.path(file)
    suite, folder = files[-1], files[0].parent
    console.say(f"Next: shflbench run {shlex.quote(str(suite))}")
    console.say(f"      shflbench check {shlex.quote(f'./{folder}' if not folder.is_absolute() else str(folder))}")

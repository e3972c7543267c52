"""Create a pattern and a suite to start from."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.file_arguments import FILE_ARGUMENTS, as_built, file_flags
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.cli.console import Console
    from shflbench.user_kernels.comparison import LeftOut
    from shflbench.user_kernels.file_options import FileFlags


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="NAME...")
@add_heading(
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
@add_heading(
    "From a file",
    option("--from", "file", metavar="FILE", type=PATH, help="Create them for the kernels NAME... of this .cu file."),
    option("--kernel", "kernels", metavar="NAME", multiple=True, help="Name a kernel, as NAME does (repeatable)."),
    option(
        "--reference",
        type=click.Choice(["kernel", "numpy"]),
        help="Compare results with the first kernel, or with a function in NumPy, which you write.",
        show_default="kernel",
    ),
    *FILE_ARGUMENTS,
)
@click.pass_obj
def command(
    console: Console,
    /,
    names: tuple[str, ...],
    output: Path,
    file: Path | None,
    reference: str | None,
    **given: object,
) -> None:
    """Create a pattern and a suite to start from.

    NAME, such as `my-exchange`, creates the folder my_exchange with kernels.cu and pattern.py, and the suite
    my-exchange.yaml beside it. Both run as they are; replace the kernels with yours. With --from, the pattern has the
    kernels NAME... of a file, those with the same parameters where none is named, with the launches and the arguments
    that `bench` finds; the first kernel is the reference. With --reference numpy, the reference is a function in
    pattern.py that you write, and `run` exits with 5 until then. Existing files are never overwritten. Prints the paths
    of the files.
    """
    from shflbench.patterns.new import write
    from shflbench.store.run_files import writing

    if file is None and (len(names) != 1 or (reference or any(given.values()))):
        raise UsageError("give one NAME, or --from FILE", "Try `shflbench new my-exchange`.")
    with writing(output.absolute(), "choose another folder by --output"):
        if file is None:
            files = write(names[0], output)
        else:
            flags = as_built(file, file_flags(given), console)
            files = _from_file(file, names, output, flags, in_numpy=reference == "numpy")
    for path in files:
        console.path(path)
    suite, folder = files[-1], files[0].parent
    console.say(f"Next: shflbench run {shlex.quote(str(suite))}")
    console.say(f"      shflbench check {shlex.quote(f'./{folder}' if not folder.is_absolute() else str(folder))}")


def _from_file(file: Path, names: tuple[str, ...], output: Path, flags: FileFlags, *, in_numpy: bool) -> list[Path]:
    """Write the pattern and the suite of kernels of a file, and return the files to read."""
    from shflbench.checker import read_candidates
    from shflbench.user_kernels.comparison import choose
    from shflbench.user_kernels.suite import new_suite

    names = tuple(dict.fromkeys((*names, *flags.kernels)))
    options = replace(flags, kernels=names, compiler="nvrtc", is_timed=True).options([file])
    choice = choose(read_candidates(file, options), named=bool(names), reference=next(iter(names), ""))
    if names and any(item.is_broken for item in choice.left_out):
        raise UsageError(f"{file} has kernels that cannot be run: {_reasons(choice.left_out)}", "Name other kernels.")
    if len(choice.comparisons) == 1:
        return new_suite(file, choice.comparisons[0], output, in_numpy=in_numpy)
    if choice.comparisons:
        known = ", ".join(item.kernels[0].candidate.name for item in choice.comparisons)
        raise UsageError(f"{file} has several groups of kernels: those of {known}", "Name the kernels of one.")
    raise UsageError(
        f"{file} has no kernel that can be run: {_reasons(choice.left_out)}", "Give the options that are named above."
    )


def _reasons(left_out: Iterable[LeftOut]) -> str:
    return "; ".join(f"{item.kernel}: {item.sentence}" for item in left_out)

"""The options on the kernels of a file, which `check`, `bench`, `advise` and `new --from` share, and their values.

An option is an entry of `FILE_ARGUMENTS` or `COMPILING` and of `NAMES`, and a field of `FileFlags` of the same name.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import option
from shflbench.cli.host_args import host_args_option
from shflbench.cli.parameters import PATH, group_of
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.user_kernels.file_options import FileFlags

CLUSTER = option(
    "--cluster",
    metavar="N",
    help="Blocks of a cluster, such as 2 or 2x2, of which the grid must be a multiple.",
    show_default="from the host code or the kernel",
)
FAST_MATH = option(
    "--use-fast-math/--no-use-fast-math",
    "fast_math",
    default=None,
    help="Compile with approximate division, square roots and functions, as nvcc --use_fast_math does.",
    show_default="as the Makefile of the file does",
)
COMPILING = (
    option(
        "-I", "--include", metavar="DIR", type=PATH, multiple=True, help="Search this folder for headers (repeatable)."
    ),
    option("-D", "--define", metavar="NAME[=VALUE]", multiple=True, help="Define this macro (repeatable)."),
)
FILE_ARGUMENTS = (
    option(
        "--launch",
        "launches",
        metavar="GRIDxBLOCK",
        multiple=True,
        help="Launch every kernel so, such as 4x256 or 8x8:16x16 (repeatable).",
        show_default="the launches of the host code",
    ),
    option(
        "--arg",
        "arguments",
        metavar="NAME=VALUE",
        multiple=True,
        help="Pass this argument: n=1000, in=f32[1024], in=i32[64]:index, in=FILE.npy or in=null (repeatable).",
        show_default="from the host code",
    ),
    option(
        "--shared",
        metavar="BYTES",
        type=click.IntRange(min=0),
        help="Bytes of dynamic shared memory per block.",
        show_default="from the host code",
    ),
    host_args_option("that of its Makefile, or none"),
    COMPILING[0],
    FAST_MATH,
    *COMPILING[1:],
)


NAMES = {  # parameter of the command → option, for messages
    "kernels": "--kernel",
    "launches": "--launch",
    "arguments": "--arg",
    "cluster": "--cluster",
    "shared": "--shared",
    "include": "-I",
    "define": "-D",
    "host_args": "--host-args",
    "pdl": "--pdl",
    "same": "--same",
    "allow_no_kernels": "--allow-no-kernels",
    "compiler": "--compiler",
    "budget": "--budget",
    "time_limit_s": "--time-limit",
    "patch": "--patch",
    "measure": "--measure",
}


def refuse_without_files(values: Mapping[str, object]) -> None:
    """Raise UsageError for an option that applies to files, where no target is one."""
    for parameter, name in NAMES.items():
        if (value := values.get(parameter)) is not None and value is not False and value != ():
            raise UsageError(f"{name} applies to .cu, .cuh and .ptx files, and no target is one", "Leave it out.")


def file_flags(values: Mapping[str, object]) -> FileFlags:
    """Return what a command's options say of the kernels of a file."""
    from shflbench.user_kernels.file_options import FileFlags

    return group_of(FileFlags, values)


def as_built(file: Path, flags: FileFlags, console: Console) -> FileFlags:
    """Return the options with what the Makefile of a file says where the user says nothing, and say it."""
    from shflbench.cuda_sources import is_built_fast, program_words

    host_args, fast_math = flags.host_args, flags.fast_math
    if host_args is None and (known := program_words(file)) is not None:
        host_args = shlex.join(known[1])
        console.say(f"{file}: its Makefile runs the program with `{host_args}`.")
    if fast_math is None and (fast_math := is_built_fast(file)):
        console.say(f"{file}: its Makefile compiles it with --use_fast_math.")
    return replace(flags, host_args=host_args, fast_math=fast_math)

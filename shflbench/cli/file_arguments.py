"""The options that say how the kernels of a file are launched, which `bench` and `new --from` share."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.help import option
from shflbench.cli.host_args import host_args_option
from shflbench.cli.parameters import PATH

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console

CLUSTER = option(
    "--cluster",
    metavar="N",
    help="Blocks of a cluster, such as 2 or 2x2, of which the grid must be a multiple.",
    show_default="from the host code or the kernel",
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
    option(
        "-I", "--include", metavar="DIR", type=PATH, multiple=True, help="Search this folder for headers (repeatable)."
    ),
    option(
        "--use-fast-math/--no-use-fast-math",
        "fast_math",
        default=None,
        help="Compile with approximate division, square roots and functions, as nvcc --use_fast_math does.",
        show_default="as the Makefile of the file does",
    ),
    option("-D", "--define", metavar="NAME[=VALUE]", multiple=True, help="Define this macro (repeatable)."),
)


def as_built(file: Path, flags: dict[str, Any], console: Console) -> dict[str, Any]:
    """Return the options with what the Makefile of a file says where the user says nothing, and say it."""
    from shflbench.cuda_sources import is_built_fast, program_words

    host_args, fast_math = flags["host_args"], flags["fast_math"]
    if host_args is None and (known := program_words(file)) is not None:
        host_args = shlex.join(known[1])
        console.say(f"{file}: its Makefile runs the program with `{host_args}`.")
    if fast_math is None and (fast_math := is_built_fast(file)):
        console.say(f"{file}: its Makefile compiles it with --use_fast_math.")
    return {**flags, "host_args": host_args, "fast_math": fast_math}

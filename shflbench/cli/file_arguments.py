"""The options that say how the kernels of a file are launched, which `bench` and `new --from` share."""

from __future__ import annotations

import click

from shflbench.cli.help import option
from shflbench.cli.parameters import PATH

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
    option(
        "--host-args",
        metavar="WORDS",
        help="The command line of the program in the file.",
        show_default="none",
    ),
    option(
        "-I", "--include", metavar="DIR", type=PATH, multiple=True, help="Search this folder for headers (repeatable)."
    ),
    option("-D", "--define", metavar="NAME[=VALUE]", multiple=True, help="Define this macro (repeatable)."),
)

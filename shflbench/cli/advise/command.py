"""Say which variant to use for a pattern, or what a file's kernels exchange."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.check_limits import limit_options
from shflbench.cli.file_arguments import CLUSTER, FILE_ARGUMENTS, file_flags, refuse_without_files
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, PATTERN_OPTIONS, format_option, group_of, named_values
from shflbench.cli.stdin import file_given
from shflbench.core.bounds import BUDGET
from shflbench.errors import UsageError
from shflbench.user_kernels.file_options import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.cli.console import Console

FORMS = ("text", "json", "code", "sarif")
ONLY_OF = {"code": "patterns", "sarif": "files"}  # form → to what it applies


@click.command(cls=Command)
@click.argument("pattern", required=False, metavar="[PATTERN | FILE]", callback=file_given)
@click.argument("results", nargs=-1, type=PATH)
@add_heading(
    "Your kernel",
    option("--dtype", metavar="TYPE", help="Element type.  [default: f32 if it was measured]"),
    option("--block", metavar="N", type=click.IntRange(1, 1024), help="Threads per block."),
    PATTERN_OPTIONS,
)
@add_heading(
    "A file of kernels",
    option("--kernel", "kernels", metavar="NAME", multiple=True, help="Advise only on this kernel (repeatable)."),
    *FILE_ARGUMENTS,
    CLUSTER,
    *limit_options(BUDGET),
    option(
        "--patch",
        is_flag=True,
        help="Print shuffles and weaker barriers as a unified diff, which `git apply` takes; FILE stays as it is.",
    ),
    option(
        "--measure",
        is_flag=True,
        help="Time FILE with these changes against FILE as it is, on a GPU, at the launches of the host code.",
    ),
)
@add_heading(
    "GPU",
    option("--gpu", metavar="NAME", help="Use only runs on GPUs whose name contains this text; --measure: such a GPU."),
    option("--arch", metavar="sm_XX", help="Use only runs on this architecture; predict if there is none."),
)
@add_heading(
    "Report",
    option(
        "--costs",
        is_flag=True,
        help="Print what each exchange costs, as JSON for compilers and libraries; takes RESULTS alone.",
    ),
    format_option(FORMS, " (code: that to copy, alone; sarif: notes at the lines of FILE)"),
    OUTPUT_FILE,
)
@click.pass_obj
def command(
    console: Console,
    /,
    pattern: str | None,
    results: tuple[Path, ...],
    dtype: str | None,
    block: int | None,
    options: tuple[str, ...],
    gpu: str | None,
    arch: str | None,
    *,
    costs: bool,
    form: str,
    **given: object,
) -> int:
    r"""Say which variant to use for a pattern, or what a file's kernels exchange.

    FILE is a .cu, .cuh or .ptx file, or - for stdin: of each kernel, prints which values go through shared memory
    between which lanes, with the shuffle that could replace it, and which barriers of the block a check of the kernel
    without them shows not to be needed, or only within warps, in the launches of the host code or of --launch. Says
    whether that is worth it: what limits each kernel, as predicted, what each change brings, and what a shuffle alone
    brought in RESULTS. Needs no GPU, except for --measure.

    PATTERN is the name of a pattern, RESULTS are run folders or folders that hold runs, by default ./results. Takes
    the measured setting that is nearest to your kernel and says how it differs; prints how near the variant comes to
    the limit, what to mind, and code to copy. Without results for --arch it ranks the variants by their limits or
    predicted times, which needs no GPU.

    \b
    Exit codes:
      4   --measure found no GPU
      5   --measure timed not all kernels that it changed
    """
    from shflbench.advice.advice_request import make_request
    from shflbench.advice.api import advise, exchange_costs
    from shflbench.cli.advise.output import print_advice, print_costs

    if costs:
        folders = (*([Path(pattern)] if pattern else []), *results)
        print_costs(console, exchange_costs(folders, gpu, arch, console))
        return 0
    if pattern is not None and Path(pattern).suffix.lower() in SUFFIXES:
        from shflbench.cli.advise.file_advice import FileAdviceOptions, print_file_advice

        _require_form(form, "files")
        flags = file_flags({**given, "arch": arch})
        advised = group_of(FileAdviceOptions, given, results=results, gpu=gpu, arch=arch, form=form, flags=flags)
        return print_file_advice(Path(pattern), advised, console)
    _require_form(form, "patterns")
    launch = _only_launch(given)
    if pattern is None:
        raise UsageError("no pattern is named", "name one, as in: shflbench advise reduce; see shflbench list patterns")
    request = make_request(pattern, dtype, block, launch, named_values(options))
    print_advice(console, advise(request, results, gpu, arch, console), form)
    return 0


def _require_form(form: str, target: str) -> None:
    if ONLY_OF.get(form, target) != target:
        raise UsageError(f"--format {form} applies to {ONLY_OF[form]}", "Leave it out, or choose --format json.")


def _only_launch(given: Mapping[str, object]) -> str | None:
    """Return the launch of a pattern; UsageError for several, and for options of files."""
    launches = file_flags(given).launches
    if len(launches) > 1:
        raise UsageError("--launch is given several times, and a pattern has one", "Give one launch.")
    refuse_without_files({**given, "launches": ()})
    return launches[0] if launches else None

"""Say which variant to use for a pattern, by what factor, and when another wins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, headed, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, format_option
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cli.console import Console

FORMS = ("text", "json", "code")


@click.command(cls=Command)
@click.argument("pattern", required=False, metavar="PATTERN")
@click.argument("results", nargs=-1, type=PATH)
@headed(
    "Your kernel",
    option("--dtype", metavar="TYPE", help="Element type.  [default: f32 if it was measured]"),
    option("--block", metavar="N", type=click.IntRange(1, 1024), help="Threads per block."),
    option("--launch", metavar="GRIDxBLOCK", help="Launch configuration, such as 264x256 or `2*sms x 256`."),
    option(
        "--option",
        "options",
        metavar="NAME=VALUE",
        multiple=True,
        help="Option of the pattern, such as width=8 (repeatable); `shflbench list patterns` shows them.",
    ),
)
@headed(
    "GPU",
    option("--gpu", metavar="NAME", help="Use only runs on GPUs whose name contains this text."),
    option("--arch", metavar="sm_XX", help="Use only runs on this architecture; predict if there is none."),
)
@headed(
    "Report",
    option(
        "--costs",
        is_flag=True,
        help="Print what each exchange costs, as JSON for compilers and libraries; takes RESULTS alone.",
    ),
    format_option(FORMS, " (the code to copy, alone)"),
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
    launch: str | None,
    options: tuple[str, ...],
    gpu: str | None,
    arch: str | None,
    *,
    costs: bool,
    form: str,
) -> None:
    """Say which variant to use for a pattern, by what factor, and when another wins.

    PATTERN is the name of a pattern, RESULTS are run folders or folders that hold runs, by default ./results. Takes
    the measured setting that is nearest to your kernel and says how it differs; prints how near the variant comes to
    the limit, what to mind, and code to copy. Without results for --arch it ranks the variants by their limits or
    predicted times, which needs no GPU.
    """
    from shflbench.advisor.advice_request import make_request
    from shflbench.advisor.api import advise, exchange_costs
    from shflbench.cli.advise.output import print_advice, print_costs

    if costs:
        folders = (*([Path(pattern)] if pattern else []), *results)
        print_costs(console, exchange_costs(folders, gpu, arch, console))
        return
    if pattern is None:
        raise UsageError("no pattern is named", "name one, as in: shflbench advise reduce; see shflbench list patterns")
    request = make_request(pattern, dtype, block, launch, _parsed(options))
    print_advice(console, advise(request, results, gpu, arch, console), form)


def _parsed(words: Sequence[str]) -> dict[str, str]:
    """Return the options that `name=value` words give; UsageError for another word."""
    from shflbench.suite.quotes import quote

    options = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (name and sign and value):
            raise UsageError(f"--option {quote(word)} is not NAME=VALUE", "write it as --option width=8")
        options[name] = value
    return options

"""Find the fastest member of a pattern's family on a GPU."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from shflbench.bounds import MAX_SEED
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATTERN_OPTIONS, format_option, named_values
from shflbench.cli.run.options import GPU, PLACES, refuse_fixed
from shflbench.cli.run.stop import stopped_code
from shflbench.default_arch import DEFAULT_ARCH
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.model import Device
    from shflbench.tuner.record import TuneRecord

AFTER_STOP = {"gpu", "form"}  # options that a resumed run takes


@click.command(cls=Command)
@click.argument("pattern", required=False)
@add_heading(
    "Settings",
    option("--dtype", metavar="TYPE", help="Element type.  [default: that of the pattern's usual setting]"),
    PATTERN_OPTIONS,
    option(
        "--launch",
        "launches",
        metavar="GRIDxBLOCK",
        multiple=True,
        help="Launch to tune for: `2*sms x 256` (repeatable).  [default: 1, 8, 32 and 64 warps per SM]",
    ),
    option(
        "--iterations",
        metavar="N",
        type=click.IntRange(min=1),
        show_default="so many that the fastest takes about 0.1 ms, at most 1024",
        help="Iterations per launch.",
    ),
    option(
        "--seed",
        metavar="N",
        type=click.IntRange(0, MAX_SEED),
        default=0,
        show_default=True,
        help="Seed of the input data and of the order of launches.",
    ),
)
@add_heading(
    "Device",
    option(
        "--device",
        metavar="KIND",
        type=click.Choice(["auto", "cuda", "none"]),
        default="auto",
        show_default=True,
        help="cuda, none (rank by the model, measure nothing), or auto: a GPU if there is one.",
    ),
    GPU,
    option("--arch", metavar="sm_XX", help="Rank for this architecture, and measure nothing."),
    option("--sms", metavar="N", type=click.IntRange(min=1), help="SMs of that GPU, for launches such as `26x1024`."),
)
@add_heading("Results", format_option(("table", "json")), *PLACES)
@click.pass_context
def command(context: click.Context, /, pattern: str | None, **flags: Any) -> int:  # noqa: ANN401  (each has its own type)
    r"""Find the fastest member of a pattern's family on a GPU.

    A family has what an expert would try of a pattern, some hundred kernels; `shflbench list patterns PATTERN` shows
    them. They and the pattern's variants are ranked by predicted cycles, which leaves some twenty; three rungs time
    those in turn, longer each time, and drop the slower half, but not the best of each mechanism. Prints the
    folder, which holds what was tried, with times and reasons (tried.csv), a run per rung, and the winners as a suite.
    A stopped run is resumed by --resume. Without a GPU, prints the ranking of the model.

    \b
    Exit codes:
      4   there is no GPU, and --device cuda asks for one
      5   a candidate failed, or computed a wrong result
    """
    console: Console = context.obj
    if flags["resume"]:
        from shflbench.tuner.record import read_record

        refuse_fixed(context, AFTER_STOP)
        record = read_record(flags["resume"])
        return _measure(record, flags["resume"], flags, console)
    if pattern is None:
        from shflbench.tuner.request import tunable

        raise UsageError("no pattern is named", f"these have a family: {', '.join(tunable())}")
    from shflbench.tuner.api import ranked
    from shflbench.tuner.folder import tune_folder
    from shflbench.tuner.request import tune_request

    request = replace(
        tune_request(pattern, flags["dtype"], named_values(flags["options"]), flags["launches"]),
        iterations=flags["iterations"],
        seed=flags["seed"],
    )
    device = _device(flags, console)
    arch = device.arch if device else flags["arch"] or DEFAULT_ARCH
    if flags["output"]:
        from shflbench.store import require_unused

        require_unused(flags["output"], "give another folder")
    record = ranked(request, arch, device, device.sms if device else flags["sms"], console)
    return _measure(record, tune_folder(record, flags["output"], flags["results"]), flags, console)


def _device(flags: dict[str, Any], console: Console) -> Device | None:
    """Return the GPU to measure on; None if nothing is measured."""
    from shflbench.tuner.device import device_of

    device, remark = device_of(flags["device"], flags["gpu"], arch=flags["arch"], sms=flags["sms"])
    console.say(remark)
    return device


def _measure(record: TuneRecord, folder: Path, flags: dict[str, Any], console: Console) -> int:
    from shflbench.cli.tune.output import print_result
    from shflbench.store.lock import sole_creator
    from shflbench.tuner.api import tune

    with sole_creator(folder):
        try:
            result = tune(record, folder, flags["gpu"] if record.uuid else None, console)
        except KeyboardInterrupt as error:
            words = ["shflbench", "tune", "--resume", str(folder)]
            return stopped_code(
                error, f"what was measured is in {folder}", f"resume it with: {shlex.join(words)}", console
            )
    print_result(result, folder, flags["form"], console)
    return KernelError.exit_code if result.failures else 0

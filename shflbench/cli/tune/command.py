"""Find the fastest member of a pattern's family on a GPU."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATTERN_OPTIONS, format_option, named_values, seed_option
from shflbench.cli.run.options import GPU, PLACES, refuse_fixed, refuse_two_places
from shflbench.cli.run.stop import stopped_code
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.errors import DeviceError, KernelError, ResultsError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.advice.tuner.record import TuneRecord
    from shflbench.cli.console import Console

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
        help="Launch to tune for: `2*sms x 256` (repeatable).  [default: 1, 8, 32 and 64 warps per SM, if they fit]",
    ),
    option(
        "--iterations",
        metavar="N",
        type=click.IntRange(min=1),
        show_default="so many that the fastest takes about 0.1 ms, at most 1024",
        help="Iterations per launch.",
    ),
    seed_option("Seed of the input data and of the order of launches."),
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
def command(context: click.Context, /, pattern: str | None, gpu: int, form: str, **flags: Any) -> int:  # noqa: ANN401  (each has its own type)
    r"""Find the fastest member of a pattern's family on a GPU.

    A family has what an expert would try of a pattern, some hundred kernels; `shflbench list patterns PATTERN` shows
    them. They and the pattern's variants are ranked by predicted cycles, which leaves some twenty; up to three rungs
    time those in turn, and drop what is slower, but not the fastest member and the fastest variant. Prints the
    folder, which holds what was tried, with times and reasons (tried.csv), a run per rung, and the winners as a suite.
    A stopped run is resumed by --resume. Without a GPU, prints the ranking of the model.

    \b
    Exit codes:
      4   there is no GPU, and --device cuda or --gpu asks for one
      5   a candidate failed, or computed a wrong result
    """
    console: Console = context.obj
    if flags["resume"]:
        return _resume(context, flags["resume"], gpu, form)
    refuse_two_places(context)
    if pattern is None:
        from shflbench.advice.tuner.request import tunable

        raise UsageError("no pattern is named", f"these have a family: {', '.join(tunable())}")
    from shflbench.advice.tuner.api import ranked
    from shflbench.advice.tuner.device import device_of
    from shflbench.advice.tuner.folder import require_new, require_writable, tune_folder
    from shflbench.advice.tuner.request import for_arch, tune_request
    from shflbench.store.lock import sole_creator

    require_writable(flags["output"], flags["results"])
    request = replace(
        tune_request(pattern, flags["dtype"], named_values(flags["options"]), flags["launches"]),
        iterations=flags["iterations"],
        seed=flags["seed"],
    )
    named_gpu = gpu if _is_gpu_named(context) else None
    device, remark = device_of(flags["device"], named_gpu, arch=flags["arch"], sms=flags["sms"])
    console.say(remark)
    arch = device.arch if device else flags["arch"] or DEFAULT_ARCH
    if not flags["launches"]:
        request = for_arch(request, arch)
    record = ranked(request, arch, device, device.sms if device else flags["sms"], console)
    folder = tune_folder(record, flags["output"], flags["results"])
    with sole_creator(folder):
        require_new(folder)  # another process may have started there meanwhile
        return _measure(record, folder, gpu, form, console)


def _is_gpu_named(context: click.Context) -> bool:
    return context.get_parameter_source("gpu") is not ParameterSource.DEFAULT


def _resume(context: click.Context, folder: Path, gpu: int, form: str) -> int:
    from shflbench.advice.tuner.record import read_record
    from shflbench.store.lock import sole_writer

    refuse_fixed(context, AFTER_STOP)
    with sole_writer(folder):
        record = read_record(folder)
        if _is_gpu_named(context) and not record.uuid:
            raise UsageError(
                f"{folder} was ranked without a GPU, and --gpu asks for one", "tune in a new folder to measure"
            )
        return _measure(record, folder, gpu, form, context.obj)


def _measure(record: TuneRecord, folder: Path, gpu: int, form: str, console: Console) -> int:
    from shflbench.advice.tuner.api import tune
    from shflbench.advice.tuner.record import RECORD_FILE
    from shflbench.cli.tune.output import print_result

    again = shlex.join(["shflbench", "tune", "--resume", str(folder)])
    try:
        result = tune(record, folder, gpu if record.uuid else None, console)
    except KeyboardInterrupt as error:
        return stopped_code(error, f"what was measured is in {folder}", f"resume it with: {again}", console)
    except (DeviceError, ResultsError) as error:
        is_of_disk = isinstance(error.__cause__, OSError)
        if not (folder / RECORD_FILE).exists() or not (is_of_disk or isinstance(error, DeviceError)):
            raise
        # The advice of a rung's run would name the folder of the rung.
        first = "make room there, or make it writable" if is_of_disk else error.advice
        advice = "; ".join(filter(None, (first, f"what was measured is kept: {again}")))
        raise type(error)(error.message, advice) from error
    print_result(result, folder, form, console)
    return KernelError.exit_code if result.failures else 0

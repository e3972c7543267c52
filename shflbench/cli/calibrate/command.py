"""Measure what the units of this GPU can do, and compare it with the documents."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import BASELINES, PATH, format_option
from shflbench.cli.run.options import GPU
from shflbench.cli.run.stop import stopped_code
from shflbench.core.environment import cache_folder
from shflbench.core.grouping import group_by
from shflbench.errors import DeviceError, KernelError, ResultsError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store.calibration_file import Calibration


@click.command(cls=Command)
@add_heading(
    "Options",
    GPU,
    option(
        "-o",
        "--output",
        metavar="FILE",
        type=PATH,
        show_default="calibration/GPU.json in the folder of baselines",
        help="File for the figures.",
    ),
    BASELINES,
    format_option(("table", "json")),
)
@click.pass_obj
def command(console: Console, gpu: int, output: Path | None, baselines: Path, form: str) -> int:
    """Measure what the units of this GPU can do, and compare it with the documents.

    Measures rates and latencies: shuffles, shared memory, votes, reductions, matches, barriers, fences, clusters,
    atomics, matrix fragments, caches, DRAM, arithmetic and launches. Takes about 30 seconds. Saves the figures, from
    which limits and predictions are then calculated, and which `prices` shows beside those of other GPUs.
    """
    from shflbench.cli.calibrate.output import incomplete, summary, table
    from shflbench.store.calibration_file import text

    if output and output.is_dir():
        raise ResultsError(f"{output} cannot be written: it is a folder", "Name a file with --output.")
    try:
        calibration = _measure(console, gpu)
    except KeyboardInterrupt as error:
        return stopped_code(error, "nothing was saved", "Calibrate again: it takes about 30 seconds.", console)
    path = _save(calibration, output, baselines)
    if form == "json":
        console.json(text(calibration).rstrip("\n"))
    else:
        console.table(table(calibration), data=True)
        for sentence in summary(calibration):
            console.data(sentence)
    failed = [name for name, why in calibration.missing.items() if not why.endswith("no such instruction")]
    for why, names in group_by(failed, calibration.missing.__getitem__).items():
        console.warn(f"{', '.join(names)}: not measured: {why}")
    for sentence in incomplete(calibration):
        console.warn(sentence)
    console.say(f"saved in {path}")
    return KernelError.exit_code if failed else 0


def _measure(console: Console, gpu: int) -> Calibration:
    """Return the figures of a GPU, and show how far the work is; DeviceError if it cannot be used."""
    from shflbench.cuda.backends.gpus import find
    from shflbench.measure.calibrate.pipeline import PROCESSES, RoundProgress, calibrate
    from shflbench.measure.calibrate.worker import DeviceInWorker, OpenedDevice
    from shflbench.measure.process import GPU_OPENER
    from shflbench.store.calibration_file import Calibration

    if not find():
        raise DeviceError("the driver lists no GPU, so there is nothing to measure", "See `shflbench list devices`.")
    with closing(DeviceInWorker(GPU_OPENER, str(gpu), cache_folder())) as device, console.progress() as progress:
        for event in calibrate(device):
            match event:
                case OpenedDevice():
                    console.say(f"{event.device.name}, driver {event.device.driver}, NVRTC {event.nvrtc}.")
                    if event.problem:
                        console.warn(event.problem)
                case RoundProgress():
                    name = f"process {event.process} of {PROCESSES}: {event.name}"
                    progress.show("measuring", event.done, event.total, name)
                case Calibration():
                    return event
    raise AssertionError(gpu)


def _save(calibration: Calibration, output: Path | None, baselines: Path) -> Path:
    """Write the figures to the file that the user named, else beside the baselines; return the file."""
    from shflbench.store import calibration_file
    from shflbench.store.output_file import write

    if output is None:
        return calibration_file.write(baselines, calibration)
    write(output, calibration_file.text(calibration), "--output")
    return output

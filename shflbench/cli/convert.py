"""Convert results of other benchmark tools to a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH
from shflbench.cli.run.options import typed_words
from shflbench.core.time_limits import MICROSECONDS
from shflbench.core.words import count_noun
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=PATH)
@add_heading(
    "Options",
    option(
        "-o",
        "--output",
        metavar="RUN",
        type=PATH,
        required=True,
        help="Write the run to this folder, which must be empty or not exist.",
    ),
    option(
        "--unit",
        metavar="UNIT",
        type=click.Choice(tuple(MICROSECONDS)),
        help="State the unit of the values in CSV of Triton: ns, us, ms or s.",
        show_default="that of the header",
    ),
)
@click.pass_obj
def command(console: Console, files: tuple[Path, ...], *, output: Path, unit: str | None) -> None:
    """Convert results of other benchmark tools to a run.

    FILES are JSON of NVBench (`--json`, or with samples `--jsonbin`), Google Benchmark, pytest-benchmark or hyperfine,
    caches of Kernel Tuner, CSV of Triton's `perf_report`, or CSV with the columns case, process and time_us; of a
    folder, all such files. Each JSON file is one process. Prints the folder of the run, which `show`, `plot`, `compare`
    and `report` read.
    """
    from shflbench.store.readers import BenchmarkTool, read_recording, write_run

    recording = read_recording(*files, unit=unit)
    if unit and recording.tool is not BenchmarkTool.TRITON_REPORT:
        raise UsageError(f"{files[0]} was written by {recording.tool.label}, whose unit is known", "leave --unit out")
    run = write_run(recording, output, typed_words())
    for note in run.notes:
        console.warn(note)
    cases, processes = count_noun(len(run.rows), "case"), count_noun(len(recording.processes), "process")
    console.say(f"converted: {cases} in {processes} of {recording.tool.label}")
    console.path(output)

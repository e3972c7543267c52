"""Write a report of runs as one HTML file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import BASELINES, PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.claims.times import RunTimes
    from shflbench.cli.console import Console
    from shflbench.output.export.html.content import ClaimLine
    from shflbench.store import Run


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=PATH)
@add_heading(
    "Options",
    option(
        "-o",
        "--output",
        metavar="FILE",
        type=PATH,
        default=Path("report.html"),
        show_default=True,
        help="Write the report to this file.",
    ),
    option("--title", metavar="TEXT", help="Title of the report (default: the GPUs of the runs)."),
    BASELINES,
)
@click.pass_obj
def command(console: Console, results: tuple[Path, ...], output: Path, title: str | None, baselines: Path) -> None:
    """Write a report of runs as one HTML file.

    RESULTS are run folders, or folders that hold runs. The file needs no network and no other file: send it, or open
    it from disk. Prints its path.
    """
    from shflbench.output.export.html import collect, render
    from shflbench.output.export.html.page import GENERATOR
    from shflbench.output.export.html.selection import times_of
    from shflbench.store import find_runs, read_run
    from shflbench.store.output_file import refuse_other_pages, write

    refuse_other_pages(output, GENERATOR)
    runs = [read_run(folder) for folder in find_runs(results)]
    for run in runs:
        for note in run.notes:
            console.warn(note)
    times = times_of(runs)  # for claims and answers: to read the samples takes a fifth of the command
    write(output, render(collect(runs, baselines, title or "", judged_claims(runs, times), times)), "--output")
    console.path(output)


def judged_claims(runs: Sequence[Run], times: Mapping[Path, RunTimes]) -> list[ClaimLine]:
    """Return the verdicts on the claims that the runs' suites make: of the newest run of each suite on each GPU."""
    from shflbench.analysis.claims.by_gpu import collect_claims, group_runs, judge_gpu
    from shflbench.analysis.claims.claim_verdicts import read_claim_run
    from shflbench.output.export.html.claim_lines import claim_lines
    from shflbench.output.export.html.selection import is_measured, newest

    measured = [run.folder for run in newest(runs) if is_measured(run)]
    chosen = [replace(read_claim_run(folder), times=times[folder]) for folder in measured]
    return list(claim_lines(judge_gpu(gpu, collect_claims(gpu.runs)) for gpu in group_runs(chosen)))

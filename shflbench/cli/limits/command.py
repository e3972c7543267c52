"""Limits, ceilings and predictions of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.environment import cache_folder
from shflbench.cli.help import Command, headed, option
from shflbench.cli.parameters import BASELINES, OUTPUT_FILE, PATH, format_option
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.model import KernelRequests
    from shflbench.store import Run
    from shflbench.store.calibration_file import Calibration

EXCEEDED = 1


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=PATH)
@headed(
    "Options",
    option(
        "--calibration",
        metavar="FILE",
        type=PATH,
        show_default="that of the run's GPU",
        help="Compute ceilings from this file, which `calibrate` wrote.",
    ),
    option(
        "--requests",
        is_flag=True,
        help="Count in the emulator what loops request from memory, for closer limits. Compiles the kernels again.",
    ),
    BASELINES,
    format_option(("table", "json")),
    OUTPUT_FILE,
)
@click.pass_obj
def command(
    console: Console,
    /,
    runs: tuple[Path, ...],
    calibration: Path | None,
    baselines: Path,
    *,
    requests: bool,
    form: str,
) -> int:
    """Show how close each case of a run comes to the least time that the hardware allows.

    RUN is a run folder, or a folder that holds several. Reads the machine code that ran from kernels.zip, so it needs
    no GPU. Prints the limit and the predicted time of each case and writes them to limits.csv in the run's folder.
    Exits 1 if a case is more than 1% faster than its limit: then a figure of the hardware is wrong.
    """
    from shflbench.cli.limits.output import as_json, headline, omitted_sentence, tables
    from shflbench.cli.run_limits import calibration_of, exceeded_sentence
    from shflbench.session.limits import limits_of
    from shflbench.store import find_runs, read_run
    from shflbench.store.limits_file import write_limits

    limited = []
    for folder in find_runs(runs):
        run = read_run(folder)
        for note in run.notes:
            console.warn(note)
        chosen = calibration_of(run, baselines, calibration)
        counted = _requests(run) if requests else {}
        predicted = _predicted(run, chosen, counted, console)
        if limits := limits_of(run, calibration=chosen, requests=counted, predicted_us=predicted):
            write_limits(folder, limits)
            limited.append((run, limits))
    if not limited:
        raise ResultsError("no case was timed, so that none has a limit", "give a run that was measured on a GPU")
    if form == "json":
        console.json(as_json(limited))
    else:
        for run, limits in limited:
            console.lines([(f"{run.folder}: {headline(run)}", ""), ("", "")])
            for table in tables(run, limits):
                console.table(table, data=True)
                console.data("")
        if omitted := omitted_sentence(limit for _, limits in limited for limit in limits):
            console.data(omitted)
    exceeded = exceeded_sentence(limit for _, limits in limited for limit in limits)
    if exceeded:
        console.warn(exceeded)
    return EXCEEDED if exceeded else 0


def _requests(run: Run) -> dict[str, KernelRequests]:
    """Return what the timed loops of a run request from memory, by case."""
    from shflbench.patterns.discover import builtin
    from shflbench.session.requests import requests_of_run

    return requests_of_run(run, builtin(), cache_folder())


def _predicted(
    run: Run, calibration: Calibration | None, requests: Mapping[str, KernelRequests], console: Console
) -> dict[str, float]:
    """Return the predicted time of the cases that have a prediction, in µs; takes about 0.05 s per case."""
    from shflbench.session.predictions import Predictor

    predictor = Predictor(run, calibration)
    predicted = {}
    with console.progress() as progress:
        for number, row in enumerate(predictor.rows):
            progress.show(f"predicting, {number} of {len(predictor.rows)} cases", number, len(predictor.rows))
            if us := predictor.predict(row, requests.get(row.case_id)).us:
                predicted[row.case_id] = us
    return predicted

"""Limits, ceilings and predictions of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import BASELINES, OUTPUT_FILE, PATH, format_option
from shflbench.core.environment import cache_folder
from shflbench.core.words import count_noun
from shflbench.errors import FINDING_EXIT, ResultsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.store import Run
    from shflbench.store.limits_file import CaseLimit


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=PATH)
@add_heading(
    "Options",
    option(
        "--save",
        is_flag=True,
        help="Write what is printed to limits.csv in the run's folder. Values that only the file has stay in it.",
    ),
    option(
        "--requests",
        is_flag=True,
        help="Calculate again, and count in the emulator what loops request from memory, for closer limits. Compiles "
        "the sources of the run again, and leaves out kernels that do not compute what their pattern expects now. Of "
        "kernels of a file, `bench` has counted them.",
    ),
    option(
        "--calibration",
        metavar="FILE",
        type=PATH,
        show_default="that of the run's GPU",
        help="Calculate again as with `--requests`, with the rates in this file, which `calibrate` wrote.",
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
    save: bool,
    requests: bool,
    form: str,
) -> int:
    """Show how close each case of a run comes to the least time that the hardware allows.

    RUN is a run folder, or a folder that holds several. Prints the limits, ceilings and predicted times in limits.csv
    of the run, and calculates those that it lacks from the machine code that ran, in kernels.zip, so it needs no GPU.
    Exits 1 if a case is more than 1% faster than its limit: then a figure of the hardware is wrong.
    """
    from shflbench.cli.limits.output import as_json
    from shflbench.kernel_facts.stored_limits import exceeded_sentence
    from shflbench.store import find_runs, read_run

    limited = []
    for folder in find_runs(runs):
        run = read_run(folder)
        for note in run.notes:
            console.warn(note)
        if requests:
            _check_countable(run, console)
        again = requests or calibration is not None
        if limits := _limits(run, baselines, calibration, console, again=again, save=save):
            limited.append((run, limits))
    if not limited:
        raise ResultsError("no case was timed, so that none has a limit", "give a run that was measured on a GPU")
    if form == "json":
        console.json(as_json(limited))
    else:
        _print_tables(limited, console)
    exceeded = exceeded_sentence(limit for _, limits in limited for limit in limits)
    if exceeded:
        console.warn(exceeded)
    return FINDING_EXIT if exceeded else 0


def _check_countable(run: Run, console: Console) -> None:
    """Say where `bench` has counted already what is asked for; ResultsError where nothing of a run can be counted."""
    from shflbench.analysis.kernel_sentences import is_of_kernels
    from shflbench.patterns.discover import builtin

    patterns = {row.pattern for row in run.rows if row.time_us}
    if not patterns or patterns & builtin().keys():
        return
    if run.counts():
        console.say(f"{run.folder}: `bench` has counted what each launch requests, so --requests counts nothing again")
        return
    advice = "measure again with `bench`, which counts them" if is_of_kernels(run) else "leave out --requests"
    raise ResultsError(f"{run.folder}: --requests counts only what kernels of shflbench's own patterns request", advice)


def _print_tables(limited: Sequence[tuple[Run, list[CaseLimit]]], console: Console) -> None:
    from shflbench.cli.limits.output import headline, legend, omitted_sentence, tables

    shown = [(run, list(tables(run, limits))) for run, limits in limited]
    if meanings := legend(table for _, several in shown for table in several):
        console.data(f"{meanings}\n")
    for run, several in shown:
        console.lines([(f"{run.folder}: {headline(run)}", ""), ("", "")])
        for table in several:
            console.table(table, data=True)
            console.data("")
    if omitted := omitted_sentence(limit for _, limits in limited for limit in limits):
        console.data(omitted)


def _limits(
    run: Run, baselines: Path, given: Path | None, console: Console, *, again: bool, save: bool
) -> list[CaseLimit]:
    """Return the limits of a run. With `save`, write them to its file; else say what the file lacks."""
    from shflbench.kernel_facts.known_limits import known_limits
    from shflbench.kernel_facts.stored_limits import calibration_of
    from shflbench.store.limits_file import LIMITS_FILE, write_limits

    known = known_limits(run, calibration_of(run, baselines, given), cache_folder(), console, again=again)
    file, changed = run.folder / LIMITS_FILE, known.changed
    if changed and save:
        write_limits(run.folder, known.limits)
        console.say(f"{file} is written, {count_noun(changed, 'case')} changed")
    elif changed:
        cases = count_noun(changed, "case")
        console.say(f"not saved: {cases} that {file} lacks or has with other values; write them with --save")
    elif save:
        console.say(f"{file} has these values already")
    if known.kept:
        cases = count_noun(known.kept, "case")
        console.say(f"{cases} as in {file}, where the limit is closer: delete the file to drop them")
    return known.limits

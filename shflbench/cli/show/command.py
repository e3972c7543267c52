"""Show the results of runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, format_option
from shflbench.core.words import count_noun
from shflbench.errors import ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.schemas.show import ShownRun
    from shflbench.store import Row, Run, RunInfo

FIELDS = ("pattern", "variant", "dtype")  # of a row, that a filter selects by


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=PATH)
@add_heading(
    "Filters",
    option("--pattern", metavar="NAME", multiple=True, help="Show only this pattern (repeatable)."),
    option("--variant", metavar="NAME", multiple=True, help="Show only this variant (repeatable)."),
    option("--dtype", metavar="TYPE", multiple=True, help="Show only this element type (repeatable)."),
    option(
        "--best",
        is_flag=True,
        help="Show only the fastest safe variant of each group (the cases of the same pattern, dtype, launch, "
        "iterations and options), those tied with it, and library calls that are at least as fast.",
    ),
)
@add_heading("Options", format_option(("table", "json")), OUTPUT_FILE)
@click.pass_obj
def command(
    console: Console, /, results: tuple[Path, ...], *, best: bool, form: str, **filters: tuple[str, ...]
) -> None:
    """Show the results of runs.

    RESULTS are run folders, or folders that hold runs. ± is half the 95% interval of a time. Sentences and --best
    compare times by wider intervals, which hold together with 99% and include what processes differ by.
    """
    from shflbench.store import find_runs, read_run

    runs = [read_run(folder) for folder in find_runs(results)]
    _refuse_unknown([row for run in runs for row in run.rows], filters)
    selected = [_select(run.rows, filters) for run in runs]
    if any(filters.values()) and not any(selected):
        raise UsageError("no case matches all filters", "leave out one of --pattern, --variant, --dtype")
    if best:
        from shflbench.analysis.ranking import best_rows
        from shflbench.analysis.settings import by_group
        from shflbench.cli.run_times import joint_times

        every = zip(runs, selected, strict=True)
        selected = [best_rows(by_group(rows), joint_times(run, console)) for run, rows in every]
        if not any(selected):
            why = "no case was timed, so that none is the fastest"
            if any(row.time_us for run in runs for row in run.rows):
                why = "none is the fastest: only safe variants of a pattern that were timed with an interval compete"
            raise ResultsError(why, "leave out --best")
    shown = [(run, rows) for run, rows in zip(runs, selected, strict=True) if rows or not any(selected)]
    for run, _ in shown:
        for note in run.notes:
            console.warn(f"{run.folder}: {note}" if str(run.folder) not in note else note)
    if form == "json":
        console.json(_to_json(shown))
        return
    for number, (run, rows) in enumerate(shown):
        if number:
            console.data("")
        _show(run, rows, console, complete=not best and len(rows) == len(run.rows))


def _select(rows: Sequence[Row], filters: dict[str, tuple[str, ...]]) -> list[Row]:
    """Return the rows whose fields have one of the names given for them."""
    return [row for row in rows if all(not filters[name] or getattr(row, name) in filters[name] for name in FIELDS)]


def _refuse_unknown(rows: Sequence[Row], filters: dict[str, tuple[str, ...]]) -> None:
    """Raise UsageError for a filter's name that no row has."""
    for field in FIELDS:
        known = sorted({getattr(row, field) for row in rows})
        for name in filters[field]:
            if name not in known:
                near = get_close_matches(name, known, 1)
                advice = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known)}"
                raise UsageError(f"no case has the {field} `{name}`", advice)


def _show(run: Run, rows: Sequence[Row], console: Console, *, complete: bool) -> None:
    from shflbench.analysis import run_sentences
    from shflbench.analysis.settings import by_group
    from shflbench.cli.run_times import joint_times
    from shflbench.cli.show.tables import group_table

    console.lines([(f"{run.folder}: {headline(run.info)}", "")])
    if (noise := run.info.noise) and not noise.quiet:
        console.lines([(f"{noise.verdict}: {noise.sentence}", "doubt")])
    for group in by_group(rows):
        console.data("")
        console.table(group_table(group), data=True)
    times = joint_times(run, console) if complete else None
    if complete and (lines := run_sentences(run, rows, times)):
        console.data("")
        if times:
            covered = count_noun(max(1, *(len(row.processes) for row in rows)), "process")
            console.data(f"± covers {covered}; these sentences also cover differences to other processes:")
        console.data("\n".join(lines))


def headline(info: RunInfo) -> str:
    """Return suite, device and date of a run in one line; of a converted run what is known of them."""
    if info.converted:
        tool = " ".join(filter(None, (info.suite.title, info.converted.version)))
        return ", ".join(filter(None, (tool, info.device.name if info.device else "", info.started[:10])))
    where = f"no GPU, {'emulated' if info.backend == 'emulator' else 'compiled for'} {info.arch}"
    if info.device:
        where = f"{info.device.name}, driver {info.device.driver}, CUDA {info.device.cuda}"
    return f"suite {info.suite.name}, {where}, {info.started[:10]}"


def _to_json(runs: Iterable[tuple[Run, Sequence[Row]]]) -> str:
    """Return a list with an object per run; unknown values are null."""
    return json.dumps([_record(run, rows) for run, rows in runs], indent=2, ensure_ascii=False, allow_nan=False)


def _record(run: Run, rows: Sequence[Row]) -> ShownRun:
    from shflbench.core.json_objects import MachineNoise, object_of
    from shflbench.schemas.show import SCHEMA

    info = run.info
    return {
        "schema": SCHEMA,
        "folder": str(run.folder),
        "suite": info.suite.name,
        "device": info.device.name if info.device else None,
        "driver": info.versions.driver,
        "nvrtc": info.versions.nvrtc,
        "started": info.started,
        "finished": info.finished,
        "noise": object_of(MachineNoise, info.noise) if info.noise else None,
        "cases": [{**asdict(row), "options": dict(row.options)} for row in rows],
    }

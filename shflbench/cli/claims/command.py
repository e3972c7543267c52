"""Judge the claims of suites by the results of runs."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, format_option
from shflbench.errors import ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.analysis.claims.by_gpu import GpuRuns, GpuVerdicts, SuiteClaim
    from shflbench.analysis.claims.claim_verdicts import ClaimRun
    from shflbench.cli.console import Console


ADVICE = "name a suite with claims by --suite, or write claims in the section `claims` of your suite"


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=PATH)
@add_heading(
    "Options",
    option("--suite", metavar="SUITE", show_default="the runs' suites", help="Judge the claims of this suite."),
    option("--claim", "ids", metavar="ID", multiple=True, help="Judge only this claim (repeatable)."),
    option(
        "--check",
        "report",
        metavar="FILE",
        type=PATH,
        help="Hazards of the kernels, as `check --format json` printed them.",
    ),
    option("--strict", is_flag=True, help="Exit 6 if a required claim is inconclusive."),
    format_option(("table", "json", "markdown")),
    OUTPUT_FILE,
)
@click.pass_obj
def command(
    console: Console,
    /,
    results: tuple[Path, ...],
    suite: str | None,
    ids: tuple[str, ...],
    report: Path | None,
    *,
    strict: bool,
    form: str,
) -> int:
    """Judge the claims of suites by the results of runs.

    RESULTS are run folders, or folders that hold runs. The runs on one GPU model are judged together: a claim is
    confirmed if it holds in each setting that it is about, and depends if it holds in some and not in others. Exits 1
    if a claim that its suite requires is refuted, depends, or has no results.
    """
    from shflbench.analysis.claims.by_gpu import judge_gpu
    from shflbench.cli.claims.required import conclude

    gpus = _read(results, report, console)
    claims = _claims_of(gpus, suite, console)
    _refuse_unknown(ids, claims)
    judged = [judge_gpu(gpu, of_gpu, ids) for gpu, of_gpu in zip(gpus, claims, strict=True) if of_gpu]
    _print(judged, form, console)
    return conclude((one for gpu in judged for one in gpu.verdicts), console, strict=strict)


def _read(results: Sequence[Path], report: Path | None, console: Console) -> list[GpuRuns]:
    """Read the runs, and print the remarks on their files."""
    from shflbench.analysis.claims.by_gpu import group_runs
    from shflbench.analysis.claims.claim_verdicts import read_claim_run
    from shflbench.store import find_runs

    runs = [read_claim_run(folder) for folder in find_runs(results)]
    for run in runs:
        for note in run.run.notes:
            console.warn(note)
    return group_runs(_with_report(runs, report) if report else runs)


def _with_report(runs: Sequence[ClaimRun], path: Path) -> list[ClaimRun]:
    """Return the runs with the hazards of their patterns; ResultsError if the report has patterns of no run."""
    from shflbench.store.check_report import read_check_report

    patterns = [{row.pattern for row in run.run.rows} for run in runs]
    report = read_check_report(path, set().union(*patterns))
    return [
        replace(run, hazards=report) if report.patterns & known else run
        for run, known in zip(runs, patterns, strict=True)
    ]


def _claims_of(gpus: Sequence[GpuRuns], suite: str | None, console: Console) -> list[list[SuiteClaim]]:
    """Return the claims for each GPU; ResultsError if there is none."""
    from shflbench.analysis.claims.by_gpu import collect_claims, corrected_suites

    claims = [_of_suite(suite)] * len(gpus) if suite else [collect_claims(gpu.runs) for gpu in gpus]
    names = {suite} if suite else {run.run.info.suite.name for gpu in gpus for run in gpu.runs}
    without = ", ".join(sorted(names - {one.suite for of_gpu in claims for one in of_gpu}))
    if not any(claims):
        raise ResultsError(f"there is no claim to judge: no section `claims` in {without}", ADVICE)
    if without and not suite:
        console.say(f"suites without claims: {without}; their runs are used for the claims of the other suites")
    if not suite and (corrected := corrected_suites(run for gpu in gpus for run in gpu.runs)):
        listed = ", ".join(corrected)
        console.say(
            f"claims that were corrected after the run are judged as corrected; suites with such claims: {listed}"
        )
    return claims


def _refuse_unknown(ids: Sequence[str], claims: Sequence[Sequence[SuiteClaim]]) -> None:
    """Raise UsageError for an id that no claim has."""
    known = sorted({one.claim.id for of_gpu in claims for one in of_gpu})
    for name in ids:
        if name not in known:
            near = get_close_matches(name, known, 1)
            advice = f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known)}"
            raise UsageError(f"no claim has the id `{name}`", advice)


def _of_suite(name_or_path: str) -> list[SuiteClaim]:
    """Return the claims of a suite file; its patterns are not opened."""
    from shflbench.analysis.claims.by_gpu import SuiteClaim
    from shflbench.suite import locate
    from shflbench.suite.claims_file import read_claims

    name, claims = read_claims(locate(name_or_path))
    return [SuiteClaim(name, claim) for claim in claims]


def _print(judged: Sequence[GpuVerdicts], form: str, console: Console) -> None:
    if form == "json":
        from shflbench.output.export.claims import json_

        console.json(json_.render(judged))
    elif form == "markdown":
        from shflbench.output.export.claims import markdown

        console.data(markdown.render(judged))
    else:
        from shflbench.cli.claims.output import blocks_of

        console.lines(blocks_of(judged, console.width(data=True)))

"""Compare two runs and say which cases got slower or faster."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.layout import Line, Table
from shflbench.cli.parameters import fraction

if TYPE_CHECKING:
    from shflbench.analysis import Comparison, Outcome
    from shflbench.cli.console import Console

RUN_FOLDER = click.Path(path_type=Path)
STYLES = {"slower": "bad", "missing": "bad", "failed": "bad", "faster": "good", "new": ""}  # all others are doubtful


@click.command()
@click.argument("base", type=RUN_FOLDER)
@click.argument("new", type=RUN_FOLDER)
@click.option(
    "--threshold",
    metavar="PERCENT",
    default="5%",
    show_default=True,
    callback=fraction,
    help="The smallest change that matters.",
)
@click.option("--strict", is_flag=True, help="Exit 6 where a case cannot be decided.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print it.",
)
@click.pass_obj
def command(console: Console, base: Path, new: Path, *, threshold: float, strict: bool, form: str) -> int:
    """Compare two runs and say which cases got slower or faster.

    BASE and NEW are folders that `shflbench run` printed, of the same suite on the same model of GPU. The table leaves
    out the cases that did not change. Exits 1 if a case got slower, is missing or failed.
    """
    from shflbench.analysis import compare
    from shflbench.store import read_run

    comparison = compare(read_run(base), read_run(new), threshold)
    if form == "json":
        console.data(json.dumps(_record(comparison), indent=2, ensure_ascii=False))
    else:
        _print(comparison, console)
    return comparison.exit_code(strict=strict)


def _print(comparison: Comparison, console: Console) -> None:
    for note in comparison.notes:
        console.warn(note)
    changed = [verdict for verdict in comparison.verdicts if verdict.outcome != "same"]
    if changed:
        body = tuple(
            Line((item.outcome.value, item.case_id, item.sentence), STYLES.get(item.outcome, "doubt"))
            for item in sorted(changed, key=lambda item: _order(item.outcome))
        )
        console.table(Table("", ("verdict", "case", "why"), body), data=True)
        console.data("")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in _counts(comparison).items())
    console.data(f"{len(comparison.verdicts)} cases, threshold {100 * comparison.threshold:g} %: {counts}")


def _counts(comparison: Comparison) -> dict[str, int]:
    """Return how many cases came out how, findings first."""
    outcomes = sorted({verdict.outcome for verdict in comparison.verdicts}, key=_order)
    return {outcome.value: comparison.count(outcome) for outcome in outcomes}


def _order(outcome: Outcome) -> int:
    from shflbench.analysis.compare import FINDINGS, UNDECIDED

    return 0 if outcome in FINDINGS else 1 if outcome in UNDECIDED else 2


def _record(comparison: Comparison) -> dict[str, object]:
    return {
        "base": str(comparison.base.folder),
        "new": str(comparison.new.folder),
        "threshold": comparison.threshold,
        "counts": _counts(comparison),
        "notes": comparison.notes,
        "verdicts": [asdict(verdict) for verdict in comparison.verdicts],
    }

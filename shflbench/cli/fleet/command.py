"""Rank the devices of a fleet, and name those that are slow, noisy, hot, throttled or wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, format_option, fraction

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.analysis.fleet import FleetReport
    from shflbench.cli.console import Console


@click.command(cls=Command)
@click.argument("results", nargs=-1, required=True, type=PATH)
@add_heading(
    "Outliers",
    option(
        "--threshold",
        metavar="PERCENT",
        callback=fraction,
        show_default="1.5%",
        help="Smallest slowdown against the model's median that is named.",
    ),
    option("--fail-on-outliers", is_flag=True, help="Exit 1 if a device is an outlier, for node health checks."),
    option("--strict", is_flag=True, help="Exit 6 for undecided devices and for models with too few devices."),
)
@add_heading(
    "Report",
    option("--all", "every", is_flag=True, help="List all devices, not only outliers and the slowest."),
    format_option(("table", "json")),
    option("--chart", metavar="FILE", type=PATH, help="Draw a heat map of devices and patterns: .svg, .png or .pdf."),
    OUTPUT_FILE,
)
@click.pass_obj
def command(
    console: Console,
    results: tuple[Path, ...],
    *,
    threshold: float | None,
    fail_on_outliers: bool,
    strict: bool,
    every: bool,
    form: str,
    chart: Path | None,
) -> int:
    """Rank the devices of a fleet, and name those that are slow, noisy, hot, throttled or wrong.

    RESULTS are folders of fleet runs, run folders, or folders that hold them. Each device is compared with the median
    of its model, case by case. A model needs four devices.
    """
    from shflbench.analysis.fleet import rank
    from shflbench.analysis.fleet.time_faults import THRESHOLD
    from shflbench.cli.fleet.output import json_text, lines
    from shflbench.session.fleet.device_records import read_records

    if chart:
        from shflbench.output.plot.forest import kind_of

        kind_of(chart)
    report = rank(read_records(results, console), THRESHOLD if threshold is None else threshold)
    if form == "json":
        console.json(json_text(report))
    else:
        console.lines(lines(report, console.width(data=True), every=every))
    if chart:
        _draw(report, chart, console)
    return report.exit_code(fail_on_outliers=fail_on_outliers, strict=strict)


def _draw(report: FleetReport, chart: Path, console: Console) -> None:
    """Draw the chart, or say why it is not drawn: the exit code is that of the findings, also where no chart is."""
    if not report.comparable:
        console.warn(f"{chart} was not drawn: no model has four devices with times of the same cases")
        return
    from shflbench.output.plot.fleet import draw_fleet

    draw_fleet(report, chart)
    console.say(f"drawn: {chart}")

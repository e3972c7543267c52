"""Compare two runs and say which cases got slower or faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.compare import options
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.analysis.compare import Side
    from shflbench.cli.console import Console

REGISTERS = "registers"
METRICS = ("time", "ns_per_iteration", "cycles_per_iteration", REGISTERS)
TWO = "give two: shflbench compare BASE NEW"


@click.command(cls=Command, removed={"--learn-noise": "noise learn RUNS", "--self-test": "noise test RUNS"})
@click.argument("runs", nargs=-1, metavar="BASE NEW", type=PATH)
@add_heading(
    "Runs",
    option(
        "--base", "more_base", metavar="RUN", multiple=True, type=PATH, help="Add a run to the base side (repeatable)."
    ),
    option(
        "--new", "more_new", metavar="RUN", multiple=True, type=PATH, help="Add a run to the new side (repeatable)."
    ),
    option(
        "--metric",
        metavar="NAME",
        type=click.Choice(METRICS),
        default=METRICS[0],
        help="time (default), ns_per_iteration, cycles_per_iteration or registers.",
    ),
    option(
        "--across",
        is_flag=True,
        help="Print changes without verdicts, even between different GPU models.",
    ),
    option(
        "--alternated",
        is_flag=True,
        help="State that base and new processes ran in turn.",
    ),
)
@options.JUDGING
@add_heading("Report", *options.REPORTING, OUTPUT_FILE)
@click.pass_obj
def command(
    console: Console,
    /,
    runs: tuple[Path, ...],
    metric: str,
    *,
    more_base: tuple[Path, ...],
    more_new: tuple[Path, ...],
    across: bool,
    alternated: bool,
    **flags: Any,  # noqa: ANN401  (each option has its own type)
) -> int:
    """Compare two runs and say which cases got slower or faster.

    BASE and NEW are run folders, folders of runs, baselines, or files that `convert` reads. Exits 1 if a case is
    slower, missing, failed or over its --limit, and 3 if the runs cannot be compared.
    """
    chosen = options.parse(flags)
    if metric == REGISTERS and chosen.thresholds.values():
        raise UsageError("--metric registers takes no --threshold: every additional register counts", "leave one out")
    base, new = _sides(runs, more_base, more_new, chosen.baselines)
    from shflbench.analysis.compare import Metric, compare, with_causes
    from shflbench.analysis.compare.learned import learned_noise

    noise, remark = learned_noise(base, new, chosen.noise, chosen.baselines)
    if remark:
        console.warn(remark)
    settings = chosen.settings(metric=Metric(metric), across=across, noise=noise, alternated=alternated)
    return options.show(with_causes(compare(base, new, settings), base, new), chosen, console, data=True)


def _sides(
    runs: Sequence[Path], more_base: Sequence[Path], more_new: Sequence[Path], baselines: Path
) -> tuple[Side, Side]:
    if len(runs) > 2:  # noqa: PLR2004  (a comparison has two sides)
        raise UsageError(
            f"{len(runs)} runs given, and a comparison has two sides", f"{TWO}, and further runs with --base and --new"
        )
    base = [*runs[:1], *more_base]
    new = [*runs[1:], *more_new]
    if not base or not new:
        raise UsageError(f"no {'new run' if base else 'base'} given", TWO)
    from shflbench.analysis.compare.named_sides import sides

    return sides(base, new, baselines)

"""Compare two runs and say which cases got slower or faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shflbench.cli.compare import options as gate
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.analysis.compare import Side
    from shflbench.cli.console import Console

REGISTERS = "registers"
METRICS = ("time", "ns_per_iteration", "cycles_per_iteration", REGISTERS)
TWO = "give two: shflbench compare BASE NEW"
# Options, by name, that say how sides are compared, and nothing of runs of unchanged code.
OF_SIDES = {
    "metric": "--metric",
    "across": "--across",
    "thresholds": "--threshold",
    "strict": "--strict",
    "allow": "--allow",
}


@click.command()
@click.argument("runs", nargs=-1, metavar="BASE NEW", type=gate.PATH)
@click.option(
    "--base",
    "more_base",
    metavar="RUN",
    multiple=True,
    type=gate.PATH,
    help="A further run of the base; may be repeated.",
)
@click.option(
    "--new", "more_new", metavar="RUN", multiple=True, type=gate.PATH, help="A further new run; may be repeated."
)
@click.option("--metric", type=click.Choice(METRICS), default=METRICS[0], show_default=True, help="What to compare.")
@click.option("--across", is_flag=True, help="Report without verdict what cannot be compared, such as two GPUs.")
@click.option("--learn-noise", is_flag=True, help="Learn this GPU's noise from runs of unchanged code, and keep it.")
@click.option("--self-test", is_flag=True, help="Say what a gate can tell, from runs of unchanged code.")
@gate.options
@click.pass_context
def command(
    context: click.Context,
    /,
    runs: tuple[Path, ...],
    metric: str,
    *,
    more_base: tuple[Path, ...],
    more_new: tuple[Path, ...],
    across: bool,
    learn_noise: bool,
    self_test: bool,
    **flags: Any,  # noqa: ANN401  (each option has its own type)
) -> int:
    """Compare two runs and say which cases got slower or faster.

    BASE and NEW are folders that `shflbench run` printed, folders that hold several runs of one suite, or names of
    baselines. With --learn-noise and --self-test, give any number of runs of unchanged code instead.

    Exits 1 if a case got slower, is missing or failed, and 3 if the sides cannot be compared.
    """
    console: Console = context.obj
    wanted = gate.parse(flags)
    if learn_noise and self_test:
        raise UsageError("--learn-noise and --self-test are two questions", "ask one after the other")
    if learn_noise or self_test:
        _refuse_sides(context, "--learn-noise" if learn_noise else "--self-test")
        from shflbench.cli.compare.learned_noise import learn, test

        return (learn if learn_noise else test)((*runs, *more_base, *more_new), wanted, console)
    if metric == REGISTERS and wanted.thresholds.values():
        raise UsageError("any more registers count: --threshold says nothing of them", "leave out one of the two")
    base, new = _sides(runs, more_base, more_new, wanted.baselines)
    from shflbench.analysis.compare import Metric, compare
    from shflbench.cli.compare.sides import learned_noise

    noise, remark = learned_noise(base, new, wanted)
    if remark:
        console.warn(remark)
    settings = wanted.settings(metric=Metric(metric), across=across, noise=noise)
    return gate.show(compare(base, new, settings), wanted, console)


def _refuse_sides(context: click.Context, question: str) -> None:
    """Raise UsageError for an option that says how to compare two sides, where there are none."""
    for name, flag in OF_SIDES.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"{question} compares no two sides, and {flag} says how", f"leave out {flag}")


def _sides(
    runs: Sequence[Path], more_base: Sequence[Path], more_new: Sequence[Path], baselines: Path
) -> tuple[Side, Side]:
    if len(runs) > 2:  # noqa: PLR2004  (a comparison has two sides)
        raise UsageError(
            f"{len(runs)} runs given, and a comparison has two sides", f"{TWO}, and others by --base, --new"
        )
    base = [*runs[:1], *more_base]
    new = [*runs[1:], *more_new]
    if not base or not new:
        raise UsageError(f"no {'new run' if base else 'base'} given", TWO)
    from shflbench.cli.compare.sides import sides

    return sides(base, new, baselines)

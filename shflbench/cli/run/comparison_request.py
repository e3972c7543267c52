"""What `run --against` asks for: what the run is to be compared with, and how long it may be measured for that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shflbench.cli.compare import options as gate
from shflbench.cli.parameters import seconds
from shflbench.errors import DeviceError, ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.analysis.compare import Side
    from shflbench.cli.run.request import RunRequest
    from shflbench.model import Suite
    from shflbench.session import Plan
    from shflbench.store import RunInfo

    Function = TypeVar("Function", bound=Callable[..., Any])

# With three a side an H200 shows a slowdown of 2 % in 98 of 100 kernels of 10 µs and more; with fewer, less is decided.
FEWEST_PROCESSES = 3
BUDGET = 60.0  # seconds: a dozen further processes of a few groups

NAMES = {"against", "budget", *gate.Gate.__dataclass_fields__}  # of its options


def options(function: Function) -> Function:
    """Give a command the options of a comparison; `parse` turns them into one."""
    function = gate.options(function)
    function = click.option(
        "--budget",
        type=click.FloatRange(min=0),
        callback=seconds,
        default=BUDGET,
        show_default=True,
        help="Seconds that --against may go on measuring what is inconclusive.",
    )(function)
    return click.option(
        "--against",
        metavar="NAME",
        type=gate.PATH,
        help="Compare the run with this baseline, or with the run in this folder; the options below say how. Measures "
        f"in at least {FEWEST_PROCESSES} processes, where --processes says nothing else.",
    )(function)


def parse(flags: Mapping[str, Any], given: Mapping[str, str]) -> ComparisonRequest | None:
    """Return the comparison that is asked for, if one is; UsageError where its options stand alone.

    `given` are the options that stand on the command line, by name.
    """
    if flags["against"] is not None:
        if flags["device"] in {"none", "emulator"}:
            raise UsageError(
                f"--against compares times, and --device {flags['device']} takes none", "Leave one of them out."
            )
        return ComparisonRequest(flags["against"], flags["budget"], gate.parse(flags))
    if lonely := [flag for name, flag in given.items() if name in NAMES]:
        raise UsageError(
            f"{lonely[0]} says how to compare a run, and without --against it is not compared",
            "Add --against NAME, or leave it out.",
        )
    return None


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What a run is to be compared with, how, and how long it may be measured for that."""

    name: Path  # of a baseline, or of a folder with runs
    budget: float  # seconds, beside those of the run itself
    gate: gate.Gate

    def in_enough_processes(self, suite: Suite, request: RunRequest) -> Suite:
        """Return the suite as it is measured for a gate, unless the user asked for a number of processes."""
        processes = request.processes or max(FEWEST_PROCESSES, suite.rules.processes)
        return replace(suite, rules=replace(suite.rules, processes=processes))

    def refuse_unknown(self, suite: str) -> None:
        """Raise ResultsError where there is nothing to compare runs of `suite` with, on any GPU."""
        from shflbench.store.baselines import Baselines

        if not self.name.exists():
            Baselines(self.gate.baselines).matching(str(self.name), suite)

    def base(self, plan: Plan, info: RunInfo) -> Side:
        """Return what the run that `info` describes is to be compared with.

        ResultsError where that is damaged, or where it is known already that the two cannot be compared. DeviceError
        where nothing will be timed.
        """
        from shflbench.analysis.compare import Side, obstacles
        from shflbench.cli.compare.sides import learned_noise
        from shflbench.session.rows import start_row
        from shflbench.store import Run, find_runs, read_run
        from shflbench.store.baselines import Baselines

        if plan.executor is None or not plan.executor.timed:
            raise DeviceError("--against compares times, and none are taken without a GPU", "run it where there is one")
        device = plan.executor.device.name
        known = Baselines(self.gate.baselines)
        folders = find_runs([self.name]) if self.name.exists() else known.find(str(self.name), plan.suite.name, device)
        base = Side.of([read_run(folder) for folder in folders], str(self.name))
        obstacles.refuse_mixture(base)
        rows = (
            start_row(case, plan.patterns[case.pattern].declaration, info.backend, info.arch)
            for case in plan.suite.cases
        )
        new = Side.of([Run(Path("the new run"), info, tuple(rows))])
        learned_noise(base, new, self.gate)  # of which a file that cannot be read is told before anything is measured
        reasons = tuple(obstacles.obstacles(base, new, timed=True, any_revision="suite" in self.gate.allow))
        if reasons:
            raise ResultsError(
                f"a run of {plan.suite.name} here cannot be compared with {self.name}: {'; '.join(reasons)}",
                "save a baseline of this suite on this GPU: shflbench baseline save NAME RUN",
            )
        return base

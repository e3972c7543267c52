"""Run a suite, and fail if it is slower than a baseline."""

from __future__ import annotations

import shlex
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from shflbench.cli.compare import options
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH, group_of, seconds
from shflbench.cli.run.options import (
    GPU,
    MEASURING,
    PLACES,
    SELECTION,
    RunPlace,
    processes_option,
    request_of,
    typed_words,
)
from shflbench.cli.run.plan import folder_of, list_cases, plan_of
from shflbench.cli.run.stop import stopped_code
from shflbench.cli.run.watch import watch
from shflbench.cli.run_claims import judge_run
from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT, KernelError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.core.model import Suite
    from shflbench.session import Plan
    from shflbench.session.gate import Gate
    from shflbench.store import ResumedRun, RunFolder

# With three per side, an H200 shows a slowdown of 2% in 98 of 100 kernels of 10 µs and more; with fewer, in less.
FEWEST_PROCESSES = 3
BUDGET = 60.0  # seconds: a dozen further processes of a few groups
ORDER = (
    KernelError.exit_code,
    FINDING_EXIT,
    UNDECIDED_EXIT,
    0,
)  # of several exit codes, the one that stands first is the command's
OF_GATE = {"against", "budget", *options.ComparisonOptions.__dataclass_fields__}  # options that a resumed run takes


@click.command(cls=Command)
@click.argument("suite", required=False)
@add_heading(
    "Comparison",
    option(
        "--against",
        metavar="NAME",
        type=PATH,
        required=True,
        help="Baseline or run folder to compare with.",
    ),
    option(
        "--budget",
        metavar="SECONDS",
        type=click.FloatRange(min=0),
        callback=seconds,
        default=BUDGET,
        show_default=f"{BUDGET:g}",
        help="Maximum time for further processes of all inconclusive cases, in addition to the run.",
    ),
)
@options.JUDGING
@SELECTION
@add_heading("Measurement", GPU, processes_option(f"the suite's, but at least {FEWEST_PROCESSES}"), *MEASURING)
@add_heading("Results", *PLACES, *options.REPORTING)
@click.pass_context
def command(
    context: click.Context,
    /,
    suite: str | None,
    against: Path,
    budget: float,
    **flags: object,
) -> int:
    """Run a suite, and fail if it is slower than a baseline.

    SUITE is the name of a suite that comes with shflbench, or a YAML file. With --resume, SUITE may be omitted if it is
    such a name; a file must be given again. Measures inconclusive cases in further processes. Prints the
    report to stderr and the folder of the run to stdout. Exits 1 if a case got slower or is missing, or if a claim that
    the suite requires is refuted, depends, or has no results; 3 if the run cannot be compared, and 5 if a case failed
    or computed a wrong result.
    """
    console: Console = context.obj
    judging = options.parse(flags)
    request = replace(request_of(context, suite, flags, OF_GATE), device="cuda")
    chosen = _in_enough_processes(request.load_suite(), request.processes)
    if flags["dry_run"]:
        return list_cases(chosen, console)
    from shflbench.session.gate import Gate, GateRequest
    from shflbench.session.plan import run_info

    comparison = GateRequest(against, judging.baselines, judging.noise, judging.settings(), budget)
    comparison.refuse_unknown(chosen.name)
    plan = plan_of(chosen, request, console)
    with closing(plan):
        info = run_info(plan, request.overrides, typed_words())
        base = comparison.base(plan, info)
        with folder_of(plan, info, group_of(RunPlace, flags)) as (folder, resumed):
            gate = Gate(comparison, base, folder.path, plan.groups)
            try:
                return _run(plan, folder, resumed, gate, judging, console)
            except KeyboardInterrupt as error:
                return stopped_code(error, *_kept(folder, suite, against), console)


def _in_enough_processes(suite: Suite, processes: int | None) -> Suite:
    """Return the suite as it is measured for a gate, unless the user asked for a number of processes."""
    chosen = processes or max(FEWEST_PROCESSES, suite.rules.processes)
    return replace(suite, rules=replace(suite.rules, processes=chosen))


def _run(
    plan: Plan,
    folder: RunFolder,
    resumed: ResumedRun | None,
    gate: Gate,
    judging: options.ComparisonOptions,
    console: Console,
) -> int:
    """Run the plan and compare it, print the folder, and return the exit code."""
    code = watch(plan, folder, resumed, console, gate.choose).exit_code
    try:
        comparison, remark = gate.compare()
        if remark:
            console.warn(remark)
        console.say()
        if code == KernelError.exit_code and "failed" in judging.allow:
            code = 0
        of_comparison = options.show(comparison, judging, console, data=False)
        of_claims = judge_run(folder, console, strict=judging.strict)
        return min(code, of_comparison, of_claims, key=ORDER.index)
    finally:
        console.path(folder.path)


def _kept(folder: RunFolder, suite: str | None, against: Path) -> tuple[str, str]:
    """Say what is left of a run that somebody stopped, and how to go on."""
    if folder.info.finished:
        words = ["shflbench", "compare", str(against), str(folder.path)]
        return f"the run is finished, in {folder.path}", f"compare it with: {shlex.join(words)}"
    words = ["shflbench", "gate", *filter(None, [suite]), "--resume", str(folder.path), "--against", str(against)]
    return f"the finished groups are in {folder.path}", f"resume it with: {shlex.join(words)}"

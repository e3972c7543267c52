"""Run a suite: compile, verify, time and store every case."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shflbench.cli.parameters import precision, seconds
from shflbench.cli.run import comparison_request
from shflbench.cli.run.decider import Decider
from shflbench.cli.run.plan import folder_of, list_cases, plan_of
from shflbench.cli.run.request import DEFAULT_ARCH, RunRequest, from_record
from shflbench.cli.run.watch import watch
from shflbench.errors import INTERRUPTED, TERMINATED, KernelError, TerminatedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.cli.console import Console
    from shflbench.cli.run.comparison_request import ComparisonRequest
    from shflbench.session import Plan
    from shflbench.store import Resumed, RunFolder

MOST_PROCESSES = 100
ORDER = (KernelError.exit_code, 1, 6, 0)  # of several exit codes, the one that stands first is the command's
FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("suite", required=False)
@click.option(
    "--device",
    type=click.Choice(["auto", "cuda", "emulator", "none"]),
    default="auto",
    show_default=True,
    help="auto: a GPU if there is one, else the emulator; none: compile and check the machine code only.",
)
@click.option("--gpu", type=click.IntRange(min=0), default=0, show_default=True, help="Which GPU, as CUDA counts them.")
@click.option("--arch", metavar="sm_XX", help=f"Architecture to compile for without a GPU.  [default: {DEFAULT_ARCH}]")
@click.option("--sms", type=click.IntRange(min=1), help="SMs to assume without a GPU, for launches like `2*sms x 256`.")
@click.option("--pattern", "patterns", multiple=True, help="Keep this pattern only; may be repeated, as the next four.")
@click.option("--variant", "variants", multiple=True, help="Keep this variant only.")
@click.option("--dtype", "dtypes", multiple=True, help="Keep this element type only.")
@click.option("--launch", "launches", multiple=True, help="Run at this launch instead, such as `2*sms x 256`.")
@click.option("--iterations", type=int, multiple=True, help="Run this many iterations instead.")
@click.option(
    "--precision", callback=precision, help="Half-width of the interval to reach instead of the suite's: 0.5%."
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(min=0.01),
    callback=seconds,
    help="Seconds of sampling a case instead of the suite's.",
)
@click.option(
    "--processes", type=click.IntRange(1, MOST_PROCESSES), help="Measure each case in so many fresh processes."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the input data and the order of launches."
)
@click.option("--results", type=FOLDER, default="results", show_default=True, help="Where the run gets a folder.")
@click.option("--output", type=FOLDER, help="The run's own folder, new or empty.")
@click.option("--resume", type=FOLDER, help="Go on with the stopped run in this folder, as it was started.")
@click.option("--dry-run", is_flag=True, help="List the cases and about how long they take, and run nothing.")
@comparison_request.options
@click.pass_context
def command(
    context: click.Context,
    /,
    suite: str | None,
    results: Path,
    output: Path | None,
    resume: Path | None,
    **flags: Any,  # noqa: ANN401  (each option has its own type)
) -> int:
    """Run a suite: compile, verify, time and store every case.

    SUITE is the name of a suite that comes with shflbench, or a YAML file. The folder of the run is printed.

    With --against, the run is compared with a baseline, or with another run, as `shflbench compare` does it. What that
    leaves inconclusive is measured in further processes.
    """
    console: Console = context.obj
    given = _given_values(context)
    if resume:
        _refuse_flags(given)
        from shflbench.store import read_info

        request = from_record(read_info(resume), suite, resume)
    else:
        _refuse_two_folders(given)
        request = _request(suite, flags)
    rival = comparison_request.parse(flags, given)
    chosen = request.load_suite()
    if rival:
        chosen = rival.in_enough_processes(chosen, request)
    if flags["dry_run"]:
        return list_cases(chosen, console)
    if rival:
        rival.refuse_unknown(chosen.name)
    plan = plan_of(chosen, request, console)
    with closing(plan):
        from shflbench.session.plan import run_info

        info = run_info(plan, request.overrides, ("shflbench", *sys.argv[1:]))
        base = rival.base(plan, info) if rival else None
        folder, stopped = folder_of(plan, info, results=results, output=output, resume=resume)
        decider = Decider(rival, base, folder.path, plan.groups, console) if rival and base else None
        try:
            return _run(plan, folder, stopped, decider, console)
        except KeyboardInterrupt as error:
            how = "terminated" if isinstance(error, TerminatedError) else "interrupted"
            console.error(*_left(how, folder, suite, rival))
            return TERMINATED if isinstance(error, TerminatedError) else INTERRUPTED


def _run(plan: Plan, folder: RunFolder, stopped: Resumed | None, decider: Decider | None, console: Console) -> int:
    """Run the plan, compare it if that is asked for, print the folder, and return the exit code."""
    code = watch(plan, folder, stopped, console, decider.undecided if decider else None)
    try:
        return min(code, decider.conclude(), key=ORDER.index) if decider else code
    finally:
        console.data(str(folder.path))


def _left(how: str, folder: RunFolder, suite: str | None, rival: ComparisonRequest | None) -> tuple[str, str]:
    """Say what a run left that somebody ended, and how to go on."""
    if folder.info.finished and rival:
        words = ["compare", str(rival.name), str(folder.path)]
        return (
            f"{how}; the run was finished, and is in {folder.path}",
            f"compare it with: shflbench {shlex.join(words)}",
        )
    words = [
        "run",
        *filter(None, [suite]),
        "--resume",
        str(folder.path),
        *(["--against", str(rival.name)] if rival else []),
    ]
    return f"{how}; the groups that were finished are in {folder.path}", f"go on with: shflbench {shlex.join(words)}"


def _refuse_flags(given: Mapping[str, str]) -> None:
    others = [flag for name, flag in given.items() if name not in {"suite", "resume", *comparison_request.NAMES}]
    if others:
        raise UsageError(
            f"--resume goes on as the run was started; {others[0]} cannot change it",
            "Leave the flag out, or start a new run.",
        )


def _refuse_two_folders(given: Mapping[str, str]) -> None:
    if {"output", "results"} <= given.keys():
        raise UsageError(
            "--output names the run's own folder and --results one for many runs: a run has one place",
            "Leave one of them out.",
        )


def _given_values(context: click.Context) -> dict[str, str]:
    """Return what stands on the command line: parameter's name → flag."""
    return {
        str(parameter.name): parameter.opts[0]
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    }


def _request(suite: str | None, flags: dict[str, Any]) -> RunRequest:
    from shflbench.model import Overrides

    if suite is None:
        raise UsageError("no suite given", "`shflbench list suites` names those that come with shflbench.")
    kinds = ("patterns", "variants", "dtypes", "launches", "iterations")
    rest = ("device", "gpu", "arch", "sms", "precision", "max_seconds", "processes", "seed")
    return RunRequest(suite, Overrides(**{name: flags[name] for name in kinds}), **{name: flags[name] for name in rest})

"""Run a suite: compile, verify, time and store every case."""

from __future__ import annotations

import math
import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shflbench.cli.asked import DEFAULT_ARCH, Asked, from_record, open_executor
from shflbench.cli.environment import cache_folder
from shflbench.cli.parameters import precision, seconds
from shflbench.cli.watch import watch
from shflbench.errors import INTERRUPTED, TERMINATED, TerminatedError, UsageError

if TYPE_CHECKING:
    from shflbench.cli.console import Console
    from shflbench.model import Suite
    from shflbench.session import Plan
    from shflbench.store import Resumed, RunFolder

MOST_PROCESSES = 100
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
    """
    console: Console = context.obj
    if resume:
        _refuse_flags(context)
        from shflbench.store import read_info

        asked = from_record(read_info(resume), suite, resume)
    else:
        _refuse_two_folders(context)
        asked = _asked(suite, flags)
    chosen = asked.load_suite()
    if flags["dry_run"]:
        return _list_cases(chosen, console)
    plan = _plan(chosen, asked, console)
    with closing(plan):
        folder, stopped = _folder(plan, asked, results, output, resume)
        try:
            code = watch(plan, folder, stopped, console)
        except KeyboardInterrupt as error:
            terminated = isinstance(error, TerminatedError)
            console.error(
                f"{'terminated' if terminated else 'interrupted'}; the groups that were finished are in {folder.path}",
                f"go on with: {shlex.join(['shflbench', 'run', *filter(None, [suite]), '--resume', str(folder.path)])}",
            )
            return TERMINATED if terminated else INTERRUPTED
    console.data(str(folder.path))
    return code


def _refuse_flags(context: click.Context) -> None:
    given = [flag for name, flag in _given(context).items() if name not in {"suite", "resume"}]
    if given:
        raise UsageError(
            f"--resume goes on as the run was started; {given[0]} cannot change it",
            "Leave the flag out, or start a new run.",
        )


def _refuse_two_folders(context: click.Context) -> None:
    if {"output", "results"} <= _given(context).keys():
        raise UsageError(
            "--output names the run's own folder and --results one for many runs: a run has one place",
            "Leave one of them out.",
        )


def _given(context: click.Context) -> dict[str, str]:
    """Return what stands on the command line: parameter's name → flag."""
    return {
        str(parameter.name): parameter.opts[0]
        for parameter in context.command.params
        if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    }


def _asked(suite: str | None, flags: dict[str, Any]) -> Asked:
    from shflbench.suite import Overrides

    if suite is None:
        raise UsageError("no suite given", "`shflbench list suites` names those that come with shflbench.")
    kinds = ("patterns", "variants", "dtypes", "launches", "iterations")
    rest = ("device", "gpu", "arch", "sms", "precision", "max_seconds", "processes", "seed")
    return Asked(suite, Overrides(**{name: flags[name] for name in kinds}), **{name: flags[name] for name in rest})


def _list_cases(suite: Suite, console: Console) -> int:
    from shflbench.session.windows import least_seconds

    for case in suite.cases:
        console.data(case.id)
    rules = suite.rules
    least = math.ceil(least_seconds(suite))
    most = max(least, math.ceil(rules.processes * len(suite.cases) * rules.max_seconds))
    console.say(
        f"{len(suite.cases)} cases; sampling takes about {least} s, and about {most} s where no case reaches its "
        "precision, beside compiling and verifying"
    )
    return 0


def _plan(suite: Suite, asked: Asked, console: Console) -> Plan:
    from shflbench.compile.toolchain import find
    from shflbench.session import Plan

    toolchain = find()
    toolchain.require(asked.arch or DEFAULT_ARCH)
    executor, remark = open_executor(asked, suite.rules.timeout)
    if remark:
        console.say(remark)
    title = f"{suite.title}: {len(suite.cases)} cases"
    if executor is None or not executor.timed:
        arch = asked.arch or DEFAULT_ARCH
        console.say(f"{title}, compiled for {arch} by NVRTC {toolchain.version}.")
        return Plan(suite, toolchain, arch, executor, cache_folder(), asked.sms, asked.seed)
    device = executor.device
    toolchain.require(device.arch)
    console.say(f"{title}.")
    console.say(f"{device.name}, driver {device.driver}, CUDA {device.cuda}, NVRTC {toolchain.version}.")
    return Plan(suite, toolchain, device.arch, executor, cache_folder(), device.sms, asked.seed)


def _folder(
    plan: Plan, asked: Asked, results: Path, output: Path | None, resume: Path | None
) -> tuple[RunFolder, Resumed | None]:
    from shflbench.session.record import run_info
    from shflbench.store import RunFolder
    from shflbench.store import resume as go_on

    info = run_info(plan, asked.overrides, ("shflbench", *sys.argv[1:]))
    if resume:
        stopped = go_on(resume, info, plan.suite.cases)
        return stopped.folder, stopped
    return (RunFolder.create_at(info, output) if output else RunFolder.create(info, results)), None

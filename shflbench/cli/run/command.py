"""Run a suite: compile, verify, time and store every case."""

from __future__ import annotations

import shlex
from contextlib import closing
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.run.gpus import device_choice, gpu_numbers, gpu_request
from shflbench.cli.run.options import MEASURING, PLACES, SELECTION, processes_option, typed_words
from shflbench.cli.run.plan import folder_of, list_cases, plan_of
from shflbench.cli.run.scheduler import CONNECTION, SHARD, SchedulerChoice
from shflbench.cli.run.stop import stopped_code
from shflbench.cli.run.watch import watch
from shflbench.cli.run_claims import judge_run
from shflbench.core.default_arch import DEFAULT_ARCH

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command(cls=Command, removed={"--against": "gate SUITE --against NAME"})
@click.argument("suite", required=False)
@SELECTION
@add_heading(
    "Device",
    option(
        "--device",
        metavar="KIND",
        type=click.Choice(["auto", "cuda", "emulator", "none"]),
        default="auto",
        show_default=True,
        help="cuda, emulator, none (compile only), or auto: a GPU if there is one, else the emulator.",
    ),
    option(
        "--gpu",
        "gpus",
        metavar="N[,N…]|all",
        callback=gpu_numbers,
        default="0",
        help="CUDA device index; several, or all, run the suite on each at the same time (needs the extra `fleet`; "
        "unsafe where others use the machine).",
    ),
    option(
        "--arch",
        metavar="sm_XX",
        show_default=f"the GPU's, else {DEFAULT_ARCH}",
        help="Emulate this architecture, even if a GPU is present; with `--device none`, compile for it.",
    ),
    option(
        "--sms",
        metavar="N",
        type=click.IntRange(min=1),
        help="Emulate a GPU with N SMs (for launches such as `2*sms x 256`), even if a GPU is present.",
    ),
)
@add_heading("Several GPUs", *CONNECTION, SHARD)
@add_heading("Measurement", processes_option("the suite's"), *MEASURING)
@add_heading("Results", *PLACES)
@click.pass_context
def command(context: click.Context, /, suite: str | None, *, dry_run: bool, **given: object) -> int:
    """Run a suite: compile, verify, time and store every case.

    SUITE is the name of a suite that comes with shflbench, or a YAML file. With --resume, SUITE may be omitted if it is
    such a name; a file must be given again. Prints the folder of the run. Exits 5 if a case failed or computed a wrong
    result, and 1 if a claim that the suite requires is refuted, depends, or has no results.
    """
    console: Console = context.obj
    request, members = gpu_request(context, suite, given)
    devices = device_choice(given)
    chosen = request.load_suite()
    if dry_run:
        return list_cases(chosen, console)
    if isinstance(members, SchedulerChoice):
        from shflbench.cli.run.fleet.cluster import run_on_cluster

        return run_on_cluster(chosen, request, members, devices, console)
    if members:
        from shflbench.cli.run.fleet.local import run_on_gpus

        return run_on_gpus(chosen, request, members, devices, console)
    plan = plan_of(chosen, request, console)
    with closing(plan):
        from shflbench.session.plan import run_info

        with folder_of(plan, run_info(plan, request.overrides, typed_words()), devices.place) as (
            folder,
            resumed,
        ):
            try:
                of_cases = watch(plan, folder, resumed, console).exit_code
                of_claims = judge_run(folder, console)
            except KeyboardInterrupt as error:
                words = ["shflbench", "run", *filter(None, [suite]), "--resume", str(folder.path)]
                kept = f"the finished groups are in {folder.path}"
                return stopped_code(error, kept, f"resume it with: {shlex.join(words)}", console)
        console.path(folder.path)
        return of_cases or of_claims

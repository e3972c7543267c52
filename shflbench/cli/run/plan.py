"""What `run` does before anything is run: list the cases, open the device, start the folder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shflbench.cli.environment import cache_folder
from shflbench.cli.run.request import DEFAULT_ARCH, open_executor

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.cli.run.request import RunRequest
    from shflbench.model import Suite
    from shflbench.session import Plan
    from shflbench.store import Resumed, RunFolder, RunInfo


def list_cases(suite: Suite, console: Console) -> int:
    """Print the cases and about how long they take; return the exit code."""
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


def plan_of(suite: Suite, request: RunRequest, console: Console) -> Plan:
    """Find the compiler and open the device, and say what they are; MissingError where one cannot be used."""
    from shflbench.compile.toolchain import find
    from shflbench.session import Plan

    toolchain = find()
    toolchain.require(request.arch or DEFAULT_ARCH)
    executor, remark = open_executor(request, suite)
    if remark:
        console.say(remark)
    title = f"{suite.title}: {len(suite.cases)} cases"
    if executor is None or not executor.timed:
        arch = request.arch or DEFAULT_ARCH
        console.say(f"{title}, compiled for {arch} by NVRTC {toolchain.version}.")
        return Plan(suite, toolchain, arch, executor, cache_folder(), request.sms, request.seed)
    device = executor.device
    toolchain.require(device.arch)
    console.say(f"{title}.")
    console.say(f"{device.name}, driver {device.driver}, CUDA {device.cuda}, NVRTC {toolchain.version}.")
    return Plan(suite, toolchain, device.arch, executor, cache_folder(), device.sms, request.seed)


def folder_of(
    plan: Plan, info: RunInfo, *, results: Path, output: Path | None, resume: Path | None
) -> tuple[RunFolder, Resumed | None]:
    """Return the folder of the run that `info` describes, and what is in it of a run to `resume`."""
    from shflbench.store import RunFolder
    from shflbench.store import resume as go_on

    if resume:
        stopped = go_on(resume, info, plan.suite.cases)
        return stopped.folder, stopped
    return (RunFolder.create_at(info, output) if output else RunFolder.create(info, results)), None

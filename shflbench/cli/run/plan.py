"""Prepare `run` and `gate` before anything is run: list the cases, open the device, start the folder."""

from __future__ import annotations

import math
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import cache_folder
from shflbench.core.words import count_noun
from shflbench.session.run_request import open_executor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.cli.console import Console
    from shflbench.cli.run.options import RunPlace
    from shflbench.core.model import Suite
    from shflbench.measure.process import EarlyWorker
    from shflbench.session import Plan
    from shflbench.session.run_request import RunRequest
    from shflbench.store import ResumedRun, RunFolder, RunInfo

SLOW_MODULES = (
    "shflbench.session.pipeline",
    "shflbench.kernel_facts.run_limits",
    "shflbench.analysis.claims.times",
)  # to import


def list_cases(suite: Suite, console: Console) -> int:
    """Print the cases and the estimated time; return the exit code."""
    from shflbench.session.windows import least_seconds

    for case in suite.cases:
        console.data(case.id)
    rules = suite.rules
    least = math.ceil(least_seconds(suite))
    most = max(least, math.ceil(rules.processes * len(suite.cases) * rules.max_seconds))
    seconds = f"{least}" if least == most else f"{least} to {most}"
    number = count_noun(len(suite.cases), "case")
    console.say(f"{number}; sampling takes about {seconds} s, without compiling and verifying")
    return 0


def plan_of(suite: Suite, request: RunRequest, console: Console, early: EarlyWorker | None = None) -> Plan:
    """Find the compiler and open the device, and print what they are; MissingError where one cannot be used.

    `early` is the process of `early_worker` for this request.
    """
    from shflbench.cuda.compile.toolchain import find
    from shflbench.session import Plan

    toolchain = find()
    toolchain.require(request.arch or DEFAULT_ARCH)
    if early is not None:
        _prepare()
    executor, remark = open_executor(request, suite, early)
    if remark:
        console.say(remark)
    title = f"{suite.title}: {count_noun(len(suite.cases), 'case')}"
    if executor is None or not executor.timed:
        arch = request.arch or DEFAULT_ARCH
        console.say(f"{title}, compiled for {arch} by NVRTC {toolchain.version}.")
        return Plan(suite, toolchain, arch, executor, cache_folder(), request.sms, request.seed)
    device = executor.device
    toolchain.require(device.arch)
    console.say(f"{title}.")
    console.say(f"{device.name}, driver {device.driver}, CUDA {device.cuda}, NVRTC {toolchain.version}.")
    return Plan(suite, toolchain, device.arch, executor, cache_folder(), device.sms, request.seed)


def _prepare() -> None:
    """Do what else takes 0.1 s before or after the measurement, while a process opens the GPU: it is not done again."""
    from shflbench.store.surroundings import versions

    versions()  # asks git, which is remembered
    for module in SLOW_MODULES:
        import_module(module)


@contextmanager
def folder_of(
    plan: Plan, info: RunInfo, place: RunPlace, advice: str = ""
) -> Iterator[tuple[RunFolder, ResumedRun | None]]:
    """Return the folder of the run that `info` describes, and what it contains of a run to resume.

    No other process writes in the folder meanwhile. `advice` is that of `RunFolder.create_at`.
    """
    from shflbench.store import RunFolder, resume
    from shflbench.store.lock import sole_creator, sole_writer

    if place.resume:
        with sole_writer(place.resume):
            resumed = resume(place.resume, info, plan.suite.cases)
            yield resumed.folder, resumed
            return
    if place.output:
        with sole_creator(place.output):
            yield RunFolder.create_at(info, place.output, advice), None
        return
    folder = RunFolder.create(info, place.results)
    with sole_writer(folder.path):
        yield folder, None

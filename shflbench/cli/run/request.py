"""What `run` is asked to do, by flags or by the record of the run that it goes on with."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.errors import DeviceError, ResultsError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.measure.executor import Executor
    from shflbench.model import Overrides, Suite
    from shflbench.store import RunInfo

EMULATED = "Kernels are compiled, and verified by running their PTX on an emulator; nothing is timed"
OPENER = "shflbench.backends.cuda:open_backend"  # what a worker process opens a GPU with
DEFAULT_ARCH = "sm_90"  # what is compiled for where there is no GPU to ask
_NEEDED = ("overrides", "precision", "max_seconds", "processes", "seed")  # settings, to go on with a run


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run as it is wanted; None where the suite or the machine decides."""

    suite: str
    overrides: Overrides
    device: str = "auto"
    gpu: int = 0
    arch: str | None = None
    sms: int | None = None
    precision: float | None = None
    max_seconds: float | None = None
    processes: int | None = None
    seed: int = 0

    def load_suite(self) -> Suite:
        """Load the suite with everything that the flags change in it."""
        from shflbench.suite import load, locate

        suite = load(locate(self.suite), self.overrides)
        rules = replace(
            suite.rules,
            precision=self.precision or suite.rules.precision,
            max_seconds=self.max_seconds or suite.rules.max_seconds,
            processes=self.processes or suite.rules.processes,
        )
        return replace(suite, rules=rules)


def from_record(info: RunInfo, suite: str | None, folder: Path) -> RunRequest:
    """Return what the stopped run in `folder` was asked to do; `suite` is its file, where shflbench does not ship it.

    UsageError where that file is needed and not given, ResultsError where the record cannot be read.
    """
    from shflbench.model import Overrides
    from shflbench.suite import find_shipped

    if suite is None and info.suite.name not in find_shipped():
        raise UsageError(
            f"{folder} holds a run of your own suite {info.suite.path}, and --resume needs that file again",
            f"name it: {shlex.join(['shflbench', 'run', info.suite.path, '--resume', str(folder)])}",
        )
    settings = info.settings
    if unknown := [name for name in _NEEDED if getattr(settings, name) is None]:
        raise ResultsError(
            f"{folder / 'run.json'}: `settings.{unknown[0]}` is missing",
            "Measure again in a new folder.",
        )
    return RunRequest(
        suite=suite or info.suite.name,
        overrides=settings.overrides or Overrides(),
        device=info.backend,
        gpu=info.device.index if info.device else 0,
        arch=None if info.device else info.arch,
        sms=None if info.device else settings.sms,
        precision=settings.precision,
        max_seconds=settings.max_seconds,
        processes=settings.processes,
        seed=settings.seed or 0,
    )


def open_executor(request: RunRequest, suite: Suite) -> tuple[Executor | None, str]:
    """Return who runs the kernels of `suite`, and what the user should know about that choice.

    DeviceError where a GPU is asked for, or is there, but cannot be used.
    """
    if request.device in {"none", "emulator"} and request.gpu:
        raise UsageError(f"--gpu chooses a GPU, and --device {request.device} uses none", "Leave one of them out.")
    if request.device == "none":
        return None, "Kernels are compiled and their machine code is checked; none is run."
    if request.device == "emulator":
        return _emulator(request, suite), f"{EMULATED}."
    if request.device == "auto" and (why := _no_gpu()):
        return _emulator(request, suite), f"No GPU ({why}). {EMULATED}."
    if request.arch or request.sms:
        raise UsageError(
            "--arch and --sms are for runs without a GPU; a GPU knows its own", "Leave them out, or add --device none."
        )
    from shflbench.measure.executor import GpuExecutor

    try:
        return GpuExecutor(OPENER, request.gpu, suite.rules.timeout), ""
    except DeviceError:
        _no_driver_comes_first()
        raise


def _emulator(request: RunRequest, suite: Suite) -> Executor:
    from shflbench.backends.emulator.backend import EmulatorBackend
    from shflbench.measure.executor import EmulatorExecutor, InProcessExecutor

    backend = EmulatorBackend(request.arch or DEFAULT_ARCH)
    workers = min(os.cpu_count() or 1, len({case.group for case in suite.cases}))
    return EmulatorExecutor(backend.device, workers) if workers > 1 else InProcessExecutor(backend)


def _no_driver_comes_first() -> None:
    """Raise DeviceError where there is no driver: installing anything else would not help."""
    from shflbench.cli.gpus import find

    find()


def _no_gpu() -> str:
    """Return why there is no GPU to use, empty if there is one."""
    from shflbench.cli.gpus import find

    try:
        return "" if find() else "the driver lists none"
    except DeviceError as error:
        return error.message

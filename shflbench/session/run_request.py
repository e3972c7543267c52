"""The run that the user asks for, by options or by the record of the run to resume."""

from __future__ import annotations

import os
import shlex
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.errors import DeviceError, ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shflbench.core.model import MeasureRules, Overrides, Suite
    from shflbench.measure.executor import Executor
    from shflbench.measure.process import EarlyWorker
    from shflbench.store import RunInfo

EMULATED = "Kernels are compiled, and verified by running their PTX on the emulator; nothing is timed."
_NEEDED = ("overrides", "precision", "max_seconds", "processes", "seed")  # settings, to resume a run


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The settings of one run; None where the suite or the machine decides."""

    suite: str
    overrides: Overrides
    device: str = "auto"
    gpu: int | None = None  # CUDA device index that the user named
    arch: str | None = None
    sms: int | None = None
    precision: float | None = None
    max_seconds: float | None = None
    processes: int | None = None
    seed: int = 0

    def load_suite(self) -> Suite:
        """Load the suite, with everything that the options change in it."""
        from shflbench.suite import load, locate

        suite = load(locate(self.suite), self.overrides)
        return replace(suite, rules=self.rules(suite.rules))

    def rules(self, usual: MeasureRules) -> MeasureRules:
        """Return the rules of a suite with everything that the options change in them."""
        return usual.changed(self.precision, self.max_seconds, self.processes)


def from_record(info: RunInfo, suite: str | None, folder: Path, command: str) -> RunRequest:
    """Return the request of the stopped run in `folder`; `suite` is its file, where shflbench does not ship it.

    UsageError where that file is needed and not given, with the words for `command`; ResultsError where the record
    cannot be read.
    """
    from shflbench.core.model import Overrides
    from shflbench.suite import find_shipped

    if info.converted:
        raise ResultsError(f"{folder} was converted from {info.converted.tool}: it cannot be resumed", "measure anew")
    if suite is None and info.suite.name not in find_shipped():
        raise UsageError(
            f"{folder} holds a run of your own suite {info.suite.path}, and --resume needs that file again",
            f"name the file: {shlex.join(['shflbench', command, info.suite.path, '--resume', str(folder)])}",
        )
    settings = info.settings
    if unknown := [name for name in _NEEDED if getattr(settings, name) is None]:
        raise ResultsError(
            f"{folder / 'run.json'}: `settings.{unknown[0]}` is missing",
            "measure again in a new folder",
        )
    return RunRequest(
        suite=suite or info.suite.name,
        overrides=settings.overrides or Overrides(),
        device=info.backend,
        gpu=info.device.index if info.device else None,
        arch=None if info.device else info.arch,
        sms=None if info.device else settings.sms,
        precision=settings.precision,
        max_seconds=settings.max_seconds,
        processes=settings.processes,
        seed=settings.seed or 0,
    )


@contextmanager
def early_worker(request: RunRequest) -> Iterator[EarlyWorker | None]:
    """Let the GPU of a request be opened while the caller prepares the run; None if the request needs no GPU.

    The process ends with the context, unless `open_executor` has taken it, which also reports what is wrong with the
    GPU or with the options.
    """
    if without_gpu_option(request) or _no_gpu():
        yield None
        return
    from shflbench.measure.process import GPU_OPENER, EarlyWorker

    with closing(EarlyWorker(GPU_OPENER, str(request.gpu or 0))) as early:
        yield early


def open_executor(request: RunRequest, suite: Suite, early: EarlyWorker | None = None) -> tuple[Executor | None, str]:
    """Return the executor that runs the kernels of `suite`, and a remark on that choice, empty if there is none.

    The process of a GPU is the `early` one, if it was started for the same request. DeviceError where a GPU is asked
    for, or is there, but cannot be used. UsageError for options that exclude one another.
    """
    needs_gpu, without_gpu = _needs_gpu(request), without_gpu_option(request)
    if needs_gpu and without_gpu:
        raise UsageError(f"{needs_gpu} asks for a GPU, and {without_gpu} for none", "leave one of them out")
    if request.device == "none":
        return None, "Kernels are compiled and their machine code is checked; none is run."
    if without_gpu:
        return _emulator(request, suite), EMULATED
    if not needs_gpu and (reason := _no_gpu()):
        return _emulator(request, suite), f"No GPU ({reason}). {EMULATED}"
    from shflbench.measure.executor import GpuExecutor
    from shflbench.measure.process import GPU_OPENER

    try:
        return GpuExecutor(GPU_OPENER, request.gpu or 0, suite.rules.timeout, early), ""
    except DeviceError:
        _refuse_missing_driver()
        raise


def _needs_gpu(request: RunRequest) -> str:
    """Return the option that asks for a GPU, empty if none does."""
    if request.gpu is not None:
        return "--gpu"
    return "--device cuda" if request.device == "cuda" else ""


def without_gpu_option(request: RunRequest) -> str:
    """Return the option that asks for a run without a GPU, empty if none does."""
    if request.device in {"none", "emulator"}:
        return f"--device {request.device}"
    if request.arch:
        return "--arch"
    return "--sms" if request.sms else ""


def _emulator(request: RunRequest, suite: Suite) -> Executor:
    from shflbench.cuda.backends.emulator import EmulatorBackend
    from shflbench.measure.executor import EmulatorExecutor, InProcessExecutor

    backend = EmulatorBackend(request.arch or DEFAULT_ARCH)
    workers = min(os.cpu_count() or 1, len({case.group for case in suite.cases}))
    return EmulatorExecutor(backend.device, workers) if workers > 1 else InProcessExecutor(backend)


def _refuse_missing_driver() -> None:
    """Raise DeviceError where there is no driver: without it, installing anything else does not help."""
    from shflbench.cuda.backends.gpus import find

    find()


def _no_gpu() -> str:
    """Return why there is no GPU, empty if there is one."""
    from shflbench.cuda.backends.gpus import find

    try:
        return "" if find() else "the driver lists none"
    except DeviceError as error:
        return error.message

"""The arguments of `shflbench.bench`, and the candidates that they name."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from shflbench.checker import (
    CheckLimits,
    FileOptions,
    LaunchOptions,
    PythonLaunch,
    host_arguments,
    python_kernel,
    read_python_candidate,
)
from shflbench.core.arch.launch_limits import limits_of
from shflbench.core.arguments import LIMIT_ARGUMENTS
from shflbench.core.bounds import MAX_NAME, MILLION
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import cache_folder
from shflbench.core.model import MeasureRules
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources import Compilers
from shflbench.errors import UsageError
from shflbench.user_kernels.stored_pattern import Equality
from shflbench.user_kernels.suite import BenchSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from shflbench.checker import CandidateFile, CheckStep, Extent
    from shflbench.cuda_sources import CompileOptions

__all__ = [
    "BenchRequest",
    "BenchSettings",
    "CheckArguments",
    "DeviceArguments",
    "Equality",
    "LaunchArguments",
    "MeasureRules",
    "PerKernel",
]

Value = TypeVar("Value")
PerKernel: TypeAlias = Value | Mapping[str, Value] | None  # the same for all kernels, or by name

_NAME = re.compile(r"[A-Za-z]\w*(?:-\w+)*", re.ASCII)  # a word of case ids, and a folder


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchArguments:
    """How the kernels are launched; a mapping has a value per kernel."""

    grid: PerKernel[Extent]
    block: PerKernel[Extent]
    shared_bytes: PerKernel[int]
    cluster: PerKernel[Extent]

    def of(self, kernel: str) -> PythonLaunch:
        """Return the launch of one kernel."""
        shared_bytes = self.shared_bytes.get(kernel) if isinstance(self.shared_bytes, Mapping) else self.shared_bytes
        return PythonLaunch(
            grid=_of_kernel(self.grid, kernel),
            block=_of_kernel(self.block, kernel),
            shared_bytes=shared_bytes,
            cluster=_of_kernel(self.cluster, kernel),
        )

    def require_known(self, kernels: Mapping[str, object]) -> None:
        """Raise UsageError for a value of a kernel that is not among these."""
        for name in (item.name for item in fields(self)):
            value: object = getattr(self, name)
            if isinstance(value, Mapping) and (unknown := set(value) - set(kernels)):
                raise UsageError(f"{name} names kernel `{min(unknown)}`", f"The kernels are {', '.join(kernels)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckArguments:
    """Whether and how long the kernels are checked."""

    check: bool
    budget: float  # million instructions
    time_limit: float  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceArguments:
    """Where the kernels run."""

    device: str
    gpu: int
    arch: str | None  # to emulate


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRequest:
    """The arguments of `shflbench.bench`."""

    kernels: Mapping[str, object]
    arguments: Sequence[object]
    launch: LaunchArguments
    check: CheckArguments
    settings: BenchSettings
    device: DeviceArguments
    compile: CompileOptions
    output: Path | None
    seed: int

    def __post_init__(self) -> None:
        """Raise UsageError for values that no run can have."""
        _require_mapping(self.kernels)
        if self.device.arch is not None:
            limits_of(self.device.arch.rstrip("af"))

    def candidates(self) -> dict[str, CandidateFile]:
        """Read, compile and check the kernels, and return the candidates by their names.

        UsageError, CompileError, CompilerError and InputError where one of them cannot be used.
        """
        options = self._file_options()
        values = host_arguments(self.arguments)
        kernels = [python_kernel(name, source) for name, source in self.kernels.items()]
        self.launch.require_known(self.kernels)
        watch = _ignore if self.check.check else None
        return {
            kernel.name: read_python_candidate(kernel, self.launch.of(kernel.name), values, options, watch)
            for kernel in kernels
        }

    def files(self) -> tuple[Path, ...]:
        """Return the paths among the sources, each once."""
        sources = [python_kernel(name, source).source for name, source in self.kernels.items()]
        return tuple(dict.fromkeys(source for source in sources if not isinstance(source, str)))

    def _file_options(self) -> FileOptions:
        toolchain = find()
        arch = self.device.arch or DEFAULT_ARCH
        toolchain.require(arch)
        return FileOptions(
            compile=replace(self.compile, arch=arch),
            compilers=Compilers(toolchain, cache=cache_folder()),
            given=LaunchOptions(seed=self.seed),
            limits=CheckLimits(
                MILLION * self.check.budget, time_limit_s=self.check.time_limit, options=LIMIT_ARGUMENTS
            ),
            outputs=False,
        )


def _of_kernel(value: PerKernel[Extent], kernel: str) -> Extent | None:
    """Return a value that is the same for all kernels, or that of one; None if it has none."""
    return value.get(kernel) if isinstance(value, Mapping) else value


def _ignore(_: CheckStep) -> None:
    """Show nothing of the progress."""


def _require_mapping(kernels: object) -> None:
    if not isinstance(kernels, Mapping) or not kernels:
        raise UsageError("bench needs kernels by name", 'Pass {"a": source, "b": source}; the first is the baseline.')
    require_names(kernels)


def require_names(kernels: Iterable[object]) -> None:
    """Raise UsageError for names that kernels cannot have."""
    for name in kernels:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > MAX_NAME:
            advice = f"Use up to {MAX_NAME} letters, digits, `_` and `-`."
            raise UsageError(f"{reprlib.repr(name)} cannot be the name of a kernel", advice)

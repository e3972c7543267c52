"""The arguments of `shflbench.bench`, and the candidates that they name."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

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

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.checker import CandidateFile, CheckStep
    from shflbench.cuda_sources import CompileOptions

Value = TypeVar("Value")
PerKernel: TypeAlias = Value | Mapping[str, Value] | None  # the same for all kernels, or by name

_NAME = re.compile(r"[A-Za-z]\w*(?:-\w+)*", re.ASCII)  # a word of case ids, and a folder


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRequest:
    """The arguments of `shflbench.bench`; a mapping has a value per kernel."""

    kernels: Mapping[str, object]
    arguments: Sequence[object]
    grid: Any
    block: Any
    shared_bytes: Any
    cluster: Any
    check: bool
    rtol: float | None
    any_order: tuple[str, ...]
    l2: str
    device: str
    gpu: int
    arch: str | None
    compile: CompileOptions
    precision: float | None
    max_seconds: float | None
    processes: int | None
    output: Path | None
    seed: int
    budget: float  # of the check, in million instructions
    time_limit: float  # likewise, in seconds

    def __post_init__(self) -> None:
        """Raise UsageError for values that no run can have."""
        _require_mapping(self.kernels)
        if self.arch is not None:
            limits_of(self.arch.rstrip("af"))

    @property
    def rules(self) -> MeasureRules:
        """How the kernels are measured."""
        given = {name: getattr(self, name) for name in ("precision", "max_seconds", "processes")}
        return MeasureRules(**{name: value for name, value in given.items() if value is not None})

    def candidates(self) -> dict[str, CandidateFile]:
        """Read, compile and check the kernels, and return the candidates by their names.

        UsageError, CompileError, CompilerError and InputError where one of them cannot be used.
        """
        options = self._file_options()
        values = host_arguments(self.arguments)
        kernels = [python_kernel(name, source) for name, source in self.kernels.items()]
        return {
            kernel.name: read_python_candidate(
                kernel, self._launch(kernel.name), values, options, _ignore if self.check else None
            )
            for kernel in kernels
        }

    def _launch(self, kernel: str) -> PythonLaunch:
        return PythonLaunch(
            **{name: self._of_kernel(name, kernel) for name in ("grid", "block", "shared_bytes", "cluster")},
        )

    def _of_kernel(self, name: str, kernel: str) -> Any:  # noqa: ANN401  (the type depends on the name)
        """Return a value that is the same for all kernels, or that of one; UsageError if it has none."""
        value = getattr(self, name)
        if not isinstance(value, Mapping):
            return value
        if unknown := set(value) - set(self.kernels):
            raise UsageError(f"{name} names kernel `{min(unknown)}`", f"The kernels are {', '.join(self.kernels)}.")
        return value.get(kernel)

    def _file_options(self) -> FileOptions:
        toolchain = find()
        arch = self.arch or DEFAULT_ARCH
        toolchain.require(arch)
        return FileOptions(
            compile=replace(self.compile, arch=arch),
            compilers=Compilers(toolchain, cache=cache_folder()),
            given=LaunchOptions(seed=self.seed),
            limits=CheckLimits(MILLION * self.budget, time_limit_s=self.time_limit, options=LIMIT_ARGUMENTS),
            outputs=False,
        )


def _ignore(_: CheckStep) -> None:
    """Show nothing of the progress."""


def _require_mapping(kernels: object) -> None:
    if not isinstance(kernels, Mapping) or not kernels:
        raise UsageError("bench needs kernels by name", 'Pass {"a": source, "b": source}; the first is the baseline.')
    for name in kernels:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > MAX_NAME:
            advice = f"Use up to {MAX_NAME} letters, digits, `_` and `-`."
            raise UsageError(f"{reprlib.repr(name)} cannot be the name of a kernel", advice)

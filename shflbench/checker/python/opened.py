"""A kernel that was compiled once, and that is checked at any number of launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.options import CheckLimits, FileOptions
from shflbench.checker.python import texts
from shflbench.checker.python.api import check_prepared
from shflbench.checker.python.named_launch import cluster_dims, launch_shape
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.python.named_launch import Extent
    from shflbench.checker.python.results import CheckResult
    from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile, KernelParameter

_WORDS = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}  # bytes of a parameter → a number without a type


@dataclass(frozen=True, slots=True, kw_only=True)
class OneLaunch:
    """A launch of an opened kernel, with its arguments by position, which stay as they are."""

    grid: Extent
    block: Extent
    arguments: Sequence[object]
    shared_bytes: int = 0  # dynamic, per block
    cluster: Extent | None = None  # blocks of a cluster


@dataclass(frozen=True, slots=True)
class OpenedKernel:
    """One kernel of CUDA C++ or PTX, compiled."""

    file: KernelFile
    kernel: str | None  # None: the only one
    limits: CheckLimits

    @property
    def ptx(self) -> str:
        """The PTX of the file."""
        return self.file.ptx

    @property
    def name(self) -> str:
        """The name of the kernel; UsageError if it is not clear which is meant."""
        return texts.chosen_kernel(self.file, self.kernel).name

    @property
    def symbol(self) -> str:
        """Its name in the PTX; UsageError likewise."""
        return texts.chosen_kernel(self.file, self.kernel).symbol

    @property
    def parameters(self) -> tuple[KernelParameter, ...]:
        """The parameters of the kernel; UsageError likewise."""
        return texts.chosen_kernel(self.file, self.kernel).parameters

    def number(self, place: int, value: object) -> np.generic:
        """Return a number in the type of its parameter, a null pointer for None; UsageError for anything else."""
        parameter = self.parameters[place]
        if value is None:
            return np.uint64(0)
        if not isinstance(value, int | float | np.generic) or parameter.size not in _WORDS or parameter.lanes > 1:
            raise UsageError(f"argument {place} is no number", "Pass numbers and arrays.")
        number: np.generic = np.dtype(parameter.element or _WORDS[parameter.size]).type(value)
        return number

    def check(self, launch: OneLaunch, seed: int = 0) -> CheckResult:
        """Check the kernel at a launch; the result has the arrays afterwards by their positions.

        UsageError if the arguments do not fit the kernel.
        """
        shape = launch_shape((launch.grid, launch.block))
        prepared = texts.prepare(self.file, self.kernel, list(launch.arguments), shape, launch.shared_bytes)
        limits = FileOptions(limits=self.limits).begun()
        return check_prepared(prepared, limits, cluster_dims(launch.cluster), seed)


def open_kernel(text: str, name: str, kernel: str | None, options: CompileOptions, limits: CheckLimits) -> OpenedKernel:
    """Compile a kernel of a text, the file `name` of messages, with NVRTC; raises what reading a file raises."""
    kernels, compilers = (kernel,) if kernel else (), Compilers(find())
    how = FileOptions(kernels=kernels, compile=options, compilers=compilers, limits=limits).begun()
    return OpenedKernel(texts.read_text(text, how, name), kernel, limits)

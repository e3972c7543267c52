"""The options with which the kernels of a file are checked: how it is read, what is given, and how long it may take."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.checker.selection import is_named
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read_options import Compilers, HostOptions
from shflbench.emulator.file_budget import NEVER, OPTIONS, SHARES, FileBudget

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.inputs.overlaps import SameBuffer
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.core.dimensions import Dims
    from shflbench.cuda_sources.kernel_file import SourceKernel


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What is given of the launches of the kernels; what is empty is chosen."""

    launches: tuple[LaunchShape, ...] = ()
    named_launches: tuple[tuple[str, LaunchShape], ...] = ()  # of single kernels, by their names
    arguments: tuple[GivenArgument, ...] = ()
    shared_bytes: int | None = None  # dynamic, per block
    cluster: Dims | None = None  # blocks of a cluster; None: from the host code or the kernel
    pdl: tuple[tuple[str, ...], ...] = ()  # kernels whose launches overlap, in their order
    same: tuple[SameBuffer, ...] = ()  # arguments of these kernels that point to one buffer
    seed: int = 0

    def launches_of(self, kernel: SourceKernel) -> tuple[LaunchShape, ...]:
        """Return the launches that the user gives a kernel: those with its name, or else those of all kernels."""
        return tuple(shape for name, shape in self.named_launches if is_named(kernel, name)) or self.launches


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """How long the check of one file may take."""

    most_work: float = math.inf  # instructions of the emulator
    shares: int = SHARES  # of that work, which a kernel may take of those that are left; 1: no other one gets less
    time_limit_s: float = math.inf  # for compiling and emulation
    clock: Callable[[], float] = time.monotonic  # that the limit is measured by; seconds
    options: tuple[str, str] = OPTIONS  # which give more work, and more time, for messages

    def budget(self) -> FileBudget:
        """Return the budget of a file that begins now."""
        return FileBudget.of(self.most_work, self.time_limit_s, self.clock, self.options)


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How to check the kernels of a file."""

    kernels: tuple[str, ...] = ()  # by their names; none: all
    compile: CompileOptions = field(default_factory=CompileOptions)
    compilers: Compilers = field(default_factory=Compilers)
    host: HostOptions = field(default_factory=HostOptions)
    given: LaunchOptions = LaunchOptions()
    limits: CheckLimits = CheckLimits()
    outputs: bool = True  # keep the buffers after the first launch
    needs_kernel: bool = True  # in each file; else one without kernels is `skipped`
    several: bool = False  # one of several files: another one may have the kernels
    budget: FileBudget = NEVER  # that the check of a file spends, once it has begun

    def including(self, folder: Path) -> FileOptions:
        """Return options with which a file in another folder finds the headers in this one."""
        return replace(self, compile=replace(self.compile, include=(folder, *self.compile.include)))

    def timed(self) -> FileOptions:
        """Return the options with which NVRTC compiles what is also timed: the machine code of the kernels alone."""
        return replace(
            self,
            compile=replace(self.compile, device_launches=False),
            compilers=replace(self.compilers, nvcc=None),
        )

    def begun(self) -> FileOptions:
        """Return the options with the budget of a file that begins now."""
        return replace(self, budget=self.limits.budget())

"""The options with which the kernels of a file are checked."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.emulator.file_budget import NEVER, OPTIONS, SHARES, FileBudget

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.inputs.overlaps import SameBuffer
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.compile.toolchain import Toolchain
    from shflbench.dimensions import Dims


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How to check the kernels of a file; what is empty is derived."""

    kernels: tuple[str, ...] = ()
    launches: tuple[LaunchShape, ...] = ()
    named_launches: tuple[tuple[str, LaunchShape], ...] = ()  # of single kernels, by their names
    pdl: tuple[tuple[str, ...], ...] = ()  # kernels whose launches overlap, in their order
    same: tuple[SameBuffer, ...] = ()  # arguments of these kernels that point to one buffer
    arguments: tuple[GivenArgument, ...] = ()
    shared_bytes: int | None = None  # dynamic, per block
    cluster: Dims | None = None  # blocks of a cluster; None: from the host code or the kernel
    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    host_args: tuple[str, ...] | None = None  # the words of the program's command line
    fast_math: bool = False  # approximate division, square roots and functions of single precision, as with nvcc
    host_numbers: tuple[tuple[str, int | float], ...] = ()  # variables of the host code that begin with other values
    host_calls: bool = False  # also read which function of the host code performs which launches
    # Template arguments with which the host code calls its functions → those to call them with instead.
    host_instance: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    device_launches: bool = True  # compile kernels that launch kernels, which a GPU cannot load from this PTX alone
    arch: str = "sm_90"
    seed: int = 0
    nvcc: Path | None = None  # None: NVRTC
    toolchain: Toolchain | None = None  # None: only PTX, or nvcc, can be used
    cache: Path | None = None  # folder for what NVRTC returns
    outputs: bool = True  # keep the buffers after the first launch
    several: bool = False  # one of several files: another one may have the kernels
    most_work: float = math.inf  # instructions of the emulator, for one file
    shares: int = SHARES  # of that work, which a kernel may take of those that are left; 1: no other one gets less
    time_limit_s: float = math.inf  # for compiling and emulation of one file
    clock: Callable[[], float] = time.monotonic  # that the limit is measured by; seconds
    limit_options: tuple[str, str] = OPTIONS  # which give more work, and more time, for messages
    budget: FileBudget = NEVER  # that the check of a file spends, once it has begun

    def begun(self) -> FileOptions:
        """Return the options with the budget of a file that begins now."""
        return replace(self, budget=FileBudget.of(self.most_work, self.time_limit_s, self.clock, self.limit_options))

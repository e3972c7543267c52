"""How to read a CUDA file: with which compilers, which kernels of it, and with which command line of its program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cuda_sources.kernel_file import HostChange

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.cuda.compile.toolchain import Toolchain


@dataclass(frozen=True, slots=True)
class Compilers:
    """What compiles a CUDA file: nvcc or, without it, NVRTC; with neither, only PTX can be read."""

    toolchain: Toolchain | None = None  # of NVRTC
    nvcc: Path | None = None
    cache: Path | None = None  # folder for what NVRTC returns


@dataclass(frozen=True, slots=True)
class HostOptions:
    """How to follow the host code of a file."""

    words: tuple[str, ...] | None = None  # of the program's command line; None: as a Makefile says, or chosen
    change: HostChange = field(default_factory=HostChange)


@dataclass(frozen=True, slots=True)
class KernelNames:
    """Which kernels of a file to compile, beside those that its host code launches."""

    kernel: str | None = None  # the only one: a plain name, a qualified name or an instance, as `reduce<float, 256>`
    instances: tuple[str, ...] = ()  # further instances of templates
    skip_unknown: bool = False  # instances of templates that the file does not have, which another file may have

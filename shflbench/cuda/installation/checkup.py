"""Check what shflbench needs, part by part, with the remedy for each part that is missing."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from shflbench.core.packages import installed_version
from shflbench.cuda.backends.gpus import Gpu, describe, disturbances, find, usable
from shflbench.cuda.installation.extra import CUDA13, choose, how_to_install
from shflbench.errors import CompilerError, DeviceError
from shflbench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shflbench.core.model import DeviceState
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.errors import MissingError

CUPY_PACKAGES = ("cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy")  # all install the same module
HEADERS = {"cuda_runtime_api.h": "CUDA runtime", "cub/cub.cuh": "CCCL"}


@dataclass(frozen=True, slots=True)
class PartCheck:
    """One part that shflbench needs: what it is, or what is wrong and what to do about it."""

    part: str
    good: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Checkup:
    """All parts, and what they allow."""

    parts: tuple[PartCheck, ...]
    compiles: bool
    is_complete: bool  # nothing that compiling and timing need is missing
    times: bool

    @property
    def summary(self) -> str:
        """What shflbench can do on this machine."""
        if not self.compiles:
            return "shflbench can show, compare and draw runs here; compiling needs what is missing above."
        if not self.times:
            return "shflbench can compile, verify and check here, and draw runs; timing needs what is missing above."
        if not self.is_complete:
            return "shflbench can compile, verify and time here, but not all kernels: see what is missing above."
        return "shflbench can compile, verify and time here."


def examine(cache: Path, broken: Sequence[MissingError] = ()) -> Checkup:
    """Check every part; `cache` is the folder for compiled kernels, `broken` are those of optional packages."""
    from shflbench.cuda.backends.nvml import Monitor

    extra = choose().extra
    gpus, driver = _gpus()
    states = {gpu: Monitor(gpu.uuid).state() for gpu in gpus}
    toolchain, compiler = _compiler(how_to_install(extra))
    cupy = _cupy(extra if gpus else CUDA13)
    return Checkup(
        parts=(
            PartCheck("shflbench", good=True, detail=f"{__version__}, Python {platform.python_version()}"),
            *driver,
            *(part for gpu, state in states.items() for part in _gpu(gpu, state)),
            *compiler,
            *_difference(toolchain),
            cupy,
            *(PartCheck("package", good=False, detail=error.message, remedy=error.advice) for error in broken),
            _cache(cache),
        ),
        compiles=toolchain is not None,
        is_complete=all(part.good for part in compiler),
        times=toolchain is not None and cupy.good and any(usable(state) for state in states.values()),
    )


def _gpus() -> tuple[list[Gpu], list[PartCheck]]:
    try:
        gpus = find()
    except DeviceError as error:
        return [], [PartCheck("driver", good=False, detail=error.message, remedy=error.advice)]
    if not gpus:
        return [], [
            PartCheck(
                "GPU", good=False, detail="the driver lists none", remedy="check that the GPU is seated and powered"
            )
        ]
    return gpus, [PartCheck("driver", good=True, detail=gpus[0].driver)]


def _gpu(gpu: Gpu, state: DeviceState) -> Iterator[PartCheck]:
    """Yield the GPU, its settings, and what would disturb its times."""
    name = f"{gpu.index}: {gpu.name}, {gpu.arch}, {gpu.memory_gib} GiB, {gpu.uuid}"
    yield PartCheck("GPU", good=True, detail=name)
    if described := describe(state):
        yield PartCheck("GPU", good=True, detail=f"{gpu.index}: {described}")
    for disturbance, remedy in disturbances(gpu.index, state):
        yield PartCheck("GPU", good=False, detail=f"{gpu.index}: {disturbance}", remedy=remedy)


def _compiler(install: str) -> tuple[Toolchain | None, list[PartCheck]]:
    from shflbench.cuda.compile.toolchain import INSTALL
    from shflbench.cuda.compile.toolchain import find as find_toolchain

    try:
        toolchain = find_toolchain()
    except CompilerError as error:
        remedy = install if error.advice == INSTALL else error.advice
        return None, [PartCheck("compiler", good=False, detail=error.message, remedy=remedy)]
    parts = [PartCheck("NVRTC", good=True, detail=f"{toolchain.version}, {toolchain.library}")]
    for header, name in HEADERS.items():
        folder = next((folder for folder in toolchain.headers if (folder / header).is_file()), None)
        parts.append(
            PartCheck(f"{name} headers", good=True, detail=str(folder))
            if folder
            else PartCheck(
                f"{name} headers", good=False, detail="missing, so library variants are skipped", remedy=install
            )
        )
    return toolchain, [*parts, _nvdisasm(toolchain, install)]


def _nvdisasm(toolchain: Toolchain, install: str) -> PartCheck:
    if toolchain.nvdisasm is None:
        return PartCheck("nvdisasm", good=False, detail="missing, so the machine code is not checked", remedy=install)
    version = toolchain.nvdisasm_version()
    if version is None:
        detail = f"{toolchain.nvdisasm} cannot be run, so the machine code is not checked"
        remedy = "reinstall it: pip install --force-reinstall nvidia-cuda-nvdisasm"
        return PartCheck("nvdisasm", good=False, detail=detail, remedy=remedy)
    return PartCheck("nvdisasm", good=True, detail=f"{version}, {toolchain.nvdisasm}")


def _difference(toolchain: Toolchain | None) -> Iterator[PartCheck]:
    """Yield how the code of the compiler differs from that of nvcc, which concerns times only."""
    if toolchain is not None and (difference := toolchain.difference_from_nvcc):
        yield PartCheck("NVRTC", good=False, detail=difference, remedy=toolchain.newer)


def _cupy(extra: str) -> PartCheck:
    """Check cupy: a missing one needs another remedy than a broken one."""
    from shflbench.cuda.backends.cuda import import_cupy

    install = how_to_install(extra)
    installed = [name for name in CUPY_PACKAGES if installed_version(name)]
    if len(installed) > 1:
        remedy = f"pip uninstall {' '.join(installed)}; then, {install}"
        return PartCheck(
            "cupy", good=False, detail=f"broken: {' and '.join(installed)} overwrite each other", remedy=remedy
        )
    try:
        cupy = import_cupy()
    except DeviceError as error:
        reinstall = f"pip uninstall {' '.join(installed) or 'cupy'}; then, {install}"
        missing = find_spec("cupy") is None
        return PartCheck(
            "cupy", good=False, detail=error.message.splitlines()[0], remedy=install if missing else reinstall
        )
    return PartCheck("cupy", good=True, detail=f"{cupy.__version__} ({', '.join(installed) or 'built from source'})")


def _cache(folder: Path) -> PartCheck:
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        kept = sum(1 for _ in folder.rglob("*.kernel"))
        return PartCheck("cache", good=True, detail=f"{folder}, {kept} compiled kernels")
    remedy = "set SHFLBENCH_CACHE to a writable folder; until then every run compiles all its kernels"
    return PartCheck("cache", good=False, detail=f"{nearest} is not writable", remedy=remedy)

"""Find the CUDA compiler, its headers and the disassembler on this machine."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.model import Target
from shflbench.core.packages import missing_error, missing_packages
from shflbench.cuda.compile import cuda12
from shflbench.errors import CompilerError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INSTALL = "Run `shflbench doctor`: it lists what to install."
# The first NVRTC that computes addresses in shared memory with 32 bits, as nvcc 13.0 does: 12.9.86, 13.0.48 and 13.0.88
# use 64, 13.1.80, 13.2.51, 13.3.33 and 13.5.37 use 32 (tests/cuda/compile/test_nvrtc.py looks at that of this
# environment).
SHORT_SHARED_ADDRESSES = (13, 1)
BUILD_DIGITS = 8  # of the hash: few builds share a version


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The compiler: NVRTC's version, folders of CUDA and CCCL headers, and nvdisasm."""

    nvrtc: tuple[int, int]
    library: str  # path of the NVRTC library
    headers: tuple[Path, ...]  # CUDA runtime and CCCL; without them, only the variants that include them fail
    nvdisasm: Path | None
    architectures: tuple[int, ...]  # compute capabilities that NVRTC supports; 90 for sm_90
    identity: str  # changes with the compiler and the headers; part of the cache key
    cccl: tuple[int, int] = (0, 0)  # version of the CCCL headers; (0, 0): there are none

    @property
    def version(self) -> str:
        """The NVRTC version, e.g. `13.5`."""
        return "{}.{}".format(*self.nvrtc)

    @property
    def build(self) -> str:
        """A hash that tells builds of the compiler and of its headers apart, which may share a version."""
        return sha256(self.identity.encode()).hexdigest()[:BUILD_DIGITS]

    @property
    def difference_from_nvcc(self) -> str | None:
        """How the code of an older NVRTC differs from that of nvcc, as a sentence; None of a newer one."""
        if self.nvrtc >= SHORT_SHARED_ADDRESSES:
            return None
        return f"NVRTC {self.version} computes addresses in shared memory with 64 bits, nvcc with 32"

    @property
    def newer(self) -> str:
        """What to do about `difference_from_nvcc`; `nvidia-cuda-nvrtc` is the package of CUDA 13."""
        version = "{}.{}".format(*SHORT_SHARED_ADDRESSES)
        if self.nvrtc[0] < SHORT_SHARED_ADDRESSES[0]:
            return f"use a driver for CUDA 13, and its NVRTC {version} or newer"
        return f"pip install 'nvidia-cuda-nvrtc>={version}'"

    @property
    def cccl_version(self) -> str | None:
        """The version of the CCCL headers, e.g. `3.5`; None without them."""
        return "{}.{}".format(*self.cccl) if any(self.cccl) else None

    def target(self, arch: str) -> Target:
        """Return what kernels for `arch` are compiled for."""
        return Target(arch, self.cccl)

    def nvdisasm_version(self) -> str | None:
        """Return the version of nvdisasm, e.g. `13.5.37`; None if it is missing or does not report one."""
        return None if self.nvdisasm is None else _version_of(self.nvdisasm)

    def require(self, arch: str) -> None:
        """Raise CompilerError unless NVRTC compiles for `arch` (`sm_90`, also `sm_90a`)."""
        match = re.fullmatch(r"sm_([0-9]+)[af]?", arch)
        if match is None or int(match[1]) not in self.architectures:
            known = ", ".join(f"sm_{number}" for number in self.architectures)
            raise CompilerError(
                f"NVRTC {self.version} does not compile for {arch}; it supports {known}",
                "Architectures before sm_75 need the extra `cuda12`, newer ones than these a newer `cuda13`.",
            )


def find() -> Toolchain:
    """Return this machine's toolchain; CompilerError if a part is missing."""
    try:
        from cuda.bindings import nvrtc
        from cuda.pathfinder import load_nvidia_dynamic_lib
    except ModuleNotFoundError as error:
        raise CompilerError(
            f"the CUDA compiler is not installed ({error.name or error} is missing)", _install()
        ) from error
    except Exception as error:  # whatever a broken binary package raises at import
        raise CompilerError(
            f"the CUDA compiler is installed but broken: {' '.join(str(error).split())}",
            "reinstall it: pip install --force-reinstall cuda-bindings cuda-pathfinder",
        ) from error
    try:
        cuda12.load_compiler()
        library = load_nvidia_dynamic_lib("nvrtc").abs_path
        status, major, minor = nvrtc.nvrtcVersion()
        _, architectures = nvrtc.nvrtcGetSupportedArchs()
    except (RuntimeError, OSError) as error:  # of pathfinder, of the binding, of a damaged file
        raise CompilerError(
            f"NVRTC, the CUDA compiler library, cannot be loaded: {str(error).splitlines()[0]}", _install()
        ) from error
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompilerError(f"NVRTC returned {status.name} for its version", INSTALL)
    headers = tuple(dict.fromkeys(_headers()))
    versions = tuple(_header_versions(headers))
    return Toolchain(
        nvrtc=(major, minor),
        library=str(library),
        headers=headers,
        nvdisasm=_nvdisasm(),
        architectures=tuple(architectures),
        identity=f"nvrtc {major}.{minor} {_build(library)}; {'; '.join(' '.join(one) for one in versions)}",
        cccl=_cccl(versions),
    )


def _install() -> str:
    """Return how to install what the compiler needs."""
    missing = missing_packages()
    return missing_error(*missing).advice if missing else INSTALL


def _headers() -> Iterator[Path]:
    yield from cuda12.headers()
    from cuda.pathfinder import find_nvidia_header_directory

    cudart, cccl = map(find_nvidia_header_directory, ("cudart", "cccl"))
    if cudart is not None:
        yield Path(cudart)
    if cccl is not None:
        yield Path(cccl)  # before the next one: a package of CCCL may be newer than the toolkit
    if cudart is not None and (Path(cudart) / "cccl").is_dir():
        yield Path(cudart) / "cccl"  # CUDA 13 keeps CCCL one folder below the other headers


def _nvdisasm() -> Path | None:
    from cuda.pathfinder import find_nvidia_binary_utility

    path = find_nvidia_binary_utility("nvdisasm")
    return Path(path) if path else None


def _build(library: str | None) -> int:
    # NVRTC reports major.minor only; the size distinguishes patch releases.
    return Path(library).stat().st_size if library else 0


_VERSION_MACRO = re.compile(r"#\s*define\s+(CUDART_VERSION|CCCL_VERSION)\s+(\d+)")


def _header_versions(headers: tuple[Path, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the names of what has a version, with that as an integer, and names alone."""
    for folder in headers:
        for name in ("cuda_runtime_api.h", "cuda/std/__cccl/version.h"):
            path = folder / name
            if path.is_file() and (match := _VERSION_MACRO.search(path.read_text(encoding="utf-8", errors="replace"))):
                yield match[1], match[2]
        if (folder / "crt" / "mma.h").is_file():  # a package of its own; without it, what includes <mma.h> fails
            yield ("crt",)


def _cccl(versions: Iterable[tuple[str, ...]]) -> tuple[int, int]:
    """Return the version of the folder that the compiler searches first: a CCCL_VERSION of 3005000 is 3.5."""
    for name, *number in versions:
        if name == "CCCL_VERSION":
            return int(number[0]) // 1_000_000, int(number[0]) // 1_000 % 1_000
    return (0, 0)


@cache
def _version_of(nvdisasm: Path) -> str | None:
    """Ask nvdisasm for its version, once per process: each device of a fleet has a record with it."""
    try:
        answer = subprocess.run([str(nvdisasm), "--version"], capture_output=True, text=True, timeout=10, check=True)  # noqa: S603  (found above)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"\bV([0-9.]+)", answer.stdout)
    return match[1] if match else None

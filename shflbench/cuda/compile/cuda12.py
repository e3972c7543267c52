"""The compiler of CUDA 12 and its headers, which the extra `cuda12` installs beside those of CUDA 13.

cuda-pathfinder takes CUDA 13 where both are installed; what it has loaded once, it takes from then on.
"""

from __future__ import annotations

from ctypes import CDLL
from functools import cache
from importlib import metadata
from pathlib import Path

from shflbench.core.packages import installed_version

HEADERS = {  # by package, the folder that it installs
    "nvidia-cuda-runtime-cu12": "nvidia/cuda_runtime/include",
    "nvidia-cuda-cccl-cu12": "nvidia/cuda_cccl/include",
}
LIBRARY = {"nvidia-cuda-nvrtc-cu12": "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"}


@cache
def is_chosen() -> bool:
    """Return whether the extra `cuda12` is installed: its bindings are those of CUDA 12."""
    return (installed_version("cuda-bindings") or "").startswith("12.")


def load_compiler() -> None:
    """Load NVRTC of CUDA 12 if the extra is installed, before anything asks for one; OSError if it is broken."""
    for path in _paths(LIBRARY):
        CDLL(str(path))


def headers() -> tuple[Path, ...]:
    """Return the folders of headers of the extra; none if it is not installed."""
    return tuple(_paths(HEADERS))


def _paths(known: dict[str, str]) -> list[Path]:
    if not is_chosen():
        return []
    packages = [(metadata.distribution(name), path) for name, path in known.items() if installed_version(name)]
    paths = [Path(str(package.locate_file(path))) for package, path in packages]
    return [path for path in paths if path.exists()]

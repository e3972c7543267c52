"""The versions of CUDA as macros, which files test, and which no file of the user defines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.cuda_sources.includes import is_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from shflbench.cuda_sources.host_code import UserFile

_TESTED = re.compile(rb"\b(?:CUDA_VERSION|CUDART_VERSION|__CUDACC_VER_M\w+)\b")
_DEFINED = re.compile(r"#\s*define\s+CUDART_VERSION\s+(\d+)")


def toolkit_versions(files: Iterable[UserFile], folders: Callable[[], Sequence[Path]]) -> tuple[str, ...]:
    """Return the versions as after `-D`, if a file tests one and the headers in the `folders` of CUDA say it."""
    if not any(_TESTED.search(file.text) for file in files):
        return ()
    for path in (folder / "cuda_runtime_api.h" for folder in folders()):
        known = _DEFINED.search(path.read_text(encoding="utf-8", errors="replace")) if is_file(path) else None
        if known is not None:
            version = int(known[1])  # 13000 of CUDA 13.0
            parts = {"MAJOR": version // 1000, "MINOR": version % 1000 // 10}
            compiler = (f"__CUDACC_VER_{name}__={value}" for name, value in parts.items())
            return (f"CUDART_VERSION={version}", f"CUDA_VERSION={version}", *compiler)
    return ()

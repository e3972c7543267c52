"""Compile files that include the same CUDA headers with these parsed once, which takes a third of the time.

NVRTC keeps a precompiled header for the rest of its process (NVRTC documentation, "Precompiled Headers"). The kernels
are the same: tests/cuda/compile/test_build.py compares one with what NVRTC compiles alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cuda.bindings import nvrtc as driver

from shflbench.cuda.compile import nvrtc
from shflbench.cuda.compile.nvrtc import Compiled
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import Toolchain

FEWEST = 4  # files that include the headers: to precompile these takes as long as to compile two or three files
HEAP_BYTES = 384 << 20  # CUB takes more than the 256 MiB of NVRTC
PAGE_BYTES = 1 << 12
LIBRARIES = ("cooperative_groups", "cub/")
EMPTY = Source(name="empty.cu", text="__global__ void empty() {}", headers={}, expression="empty")
_INCLUDE = re.compile(r"^#include <([^>\n]+)>", re.MULTILINE)


def headers_of(source: Source) -> tuple[str, ...]:
    """Return the headers of CUDA's libraries that a translation unit includes, such as `cub/warp/warp_scan.cuh`."""
    names = (name for text in (source.text, *source.headers.values()) for name in _INCLUDE.findall(text))
    return tuple(dict.fromkeys(name for name in names if name not in source.headers and name.startswith(LIBRARIES)))


@contextmanager
def precompiled_headers(sources: Sequence[Source]) -> Iterator[None]:
    """Let NVRTC compile these files, one of each unit and sorted by `headers_of`, with precompiled headers."""
    files = Counter(map(headers_of, sources))
    original, options, numbers = nvrtc.compile_unit, nvrtc.OPTIONS, count()
    current: tuple[tuple[str, ...], str] | None = None

    def compile_with(
        added: Sequence[str], sources: Sequence[Source], arch: str, toolchain: Toolchain
    ) -> list[Compiled]:
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setattr(nvrtc, "OPTIONS", (*options, "--pch-messages=false", *added))
            return original(sources, arch, toolchain)

    def compile_unit(sources: Sequence[Source], arch: str, toolchain: Toolchain) -> list[Compiled]:
        nonlocal current
        headers = headers_of(sources[0])
        if not headers or files[headers] < FEWEST:
            return original(sources, arch, toolchain)
        included, file = [f"--pre-include={header}" for header in headers], Path(folder) / "headers.pch"
        if (headers, arch) != current:
            # From an empty file, because files differ in what precedes their own code: macros and headers of dtypes.
            _empty_heap(next(numbers))
            compile_with([*included, f"--create-pch={file}"], [EMPTY], arch, toolchain)
            current = headers, arch
        return compile_with([*included, f"--use-pch={file}"], sources, arch, toolchain)

    with TemporaryDirectory(prefix="shflbench-") as folder, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(nvrtc, "compile_unit", compile_unit)
        yield


def _empty_heap(number: int) -> None:
    """Free what earlier headers took: NVRTC does that when the size changes."""
    (status,) = driver.nvrtcSetPCHHeapSize(HEAP_BYTES + PAGE_BYTES * (number % 2))
    assert status == driver.nvrtcResult.NVRTC_SUCCESS, status

"""Compile files that include the same CUDA headers with these parsed once, which takes a third of the time.

NVRTC keeps a precompiled header for the rest of its process (NVRTC documentation, "Precompiled Headers"). The kernels
are the same: tests/compile/test_build.py compares one with what NVRTC compiles alone.
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

from shflbench.compile import nvrtc
from shflbench.compile.nvrtc import Compiled
from shflbench.compile.source import Source
from shflbench.compile.toolchain import Toolchain

FEWEST = 5  # files that include the headers: to precompile these takes as long as to compile one file more
HEAP_BYTES = 384 << 20  # CUB takes more than the 256 MiB of NVRTC
PAGE_BYTES = 1 << 12
LIBRARIES = ("cooperative_groups", "cub/")
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

    def compile_unit(sources: Sequence[Source], arch: str, toolchain: Toolchain) -> list[Compiled]:
        nonlocal current
        headers = headers_of(sources[0])
        with pytest.MonkeyPatch.context() as monkeypatch:
            if headers and files[headers] >= FEWEST:
                if (headers, arch) != current:
                    _empty_heap(next(numbers))
                    current = headers, arch
                kept_in = Path(folder) / arch / "-".join(headers).replace("/", "-")
                kept_in.mkdir(parents=True, exist_ok=True)
                added = ["--pch", "--pch-messages=false", f"--pch-dir={kept_in}"]
                added += [f"--pre-include={header}" for header in headers]
                monkeypatch.setattr(nvrtc, "OPTIONS", (*options, *added))
            return original(sources, arch, toolchain)

    with TemporaryDirectory(prefix="shflbench-") as folder, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(nvrtc, "compile_unit", compile_unit)
        yield


def _empty_heap(number: int) -> None:
    """Free what earlier headers took: NVRTC does that when the size changes."""
    (status,) = driver.nvrtcSetPCHHeapSize(HEAP_BYTES + PAGE_BYTES * (number % 2))
    assert status == driver.nvrtcResult.NVRTC_SUCCESS, status

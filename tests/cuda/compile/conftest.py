"""The compiler of this environment; its kernels are kept for the whole session."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from shflbench.core.model import Case, Kernel
from shflbench.cuda.compile.build import Builder, machine_code
from shflbench.cuda.compile.toolchain import Toolchain, find
from shflbench.patterns.discover import LoadedPattern
from tests import kernels
from tests.cuda.compile.planted import case

CASE = case()


class Build(Protocol):
    """Compiles one kernel, by default the only one of a planted pattern for sm_90."""

    def __call__(self, pattern: LoadedPattern, case: Case = CASE, arch: str = "sm_90") -> Kernel: ...


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find()


@pytest.fixture(scope="session")
def blind_toolchain(toolchain: Toolchain) -> Toolchain:
    """Return the compiler without the disassembler, which takes most of the time where one kernel is built."""
    return replace(toolchain, nvdisasm=None)


def build_together(patterns: Mapping[str, tuple[LoadedPattern, Case]], arch: str = "sm_90") -> dict[str, Kernel]:
    """Return the kernels of several patterns, by name; the disassembler starts once for all of them."""
    builder = Builder(kernels.tools(), arch, kernels.CACHE)
    requests = {name: builder.request(*item) for name, item in patterns.items()}
    cached = {name: builder.cache.get(request.key) for name, request in requests.items()}
    missing = [name for name, kernel in cached.items() if kernel is None]
    code = machine_code([[requests[name].source] for name in missing], arch, builder.toolchain)
    built = {name: builder.finish(requests[name], made) for name, (made,) in zip(missing, code, strict=True)}
    return built | {name: kernel for name, kernel in cached.items() if kernel is not None}


@pytest.fixture(scope="session")
def build(toolchain: Toolchain, kernel_cache: Path) -> Build:
    def compiled(pattern: LoadedPattern, case: Case = CASE, arch: str = "sm_90") -> Kernel:
        return Builder(toolchain, arch, kernel_cache).build(pattern, case)

    return compiled

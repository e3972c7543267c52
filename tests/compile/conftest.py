"""The compiler of this environment; its kernels are kept for the whole session."""

from pathlib import Path
from typing import Protocol

import pytest

from shflbench.compile.build import Builder
from shflbench.compile.toolchain import Toolchain, find
from shflbench.model import Case, Kernel
from shflbench.patterns.discover import LoadedPattern
from tests.compile.planted import case

CASE = case()


class Build(Protocol):
    """Compiles one kernel, by default the only one of a planted pattern for sm_90."""

    def __call__(self, pattern: LoadedPattern, case: Case = CASE, arch: str = "sm_90") -> Kernel: ...


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find()


@pytest.fixture(scope="session")
def build(toolchain: Toolchain, kernel_cache: Path) -> Build:
    def compiled(pattern: LoadedPattern, case: Case = CASE, arch: str = "sm_90") -> Kernel:
        return Builder(toolchain, arch, kernel_cache).build(pattern, case)

    return compiled

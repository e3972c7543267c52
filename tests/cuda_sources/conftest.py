"""Small CUDA files, read as a user's file is."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.includes import read_unit
from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers, KernelNames
from shflbench.cuda_sources.source import CudaSource
from tests import kernels
from tests.checker.schedules import few_schedules

__all__ = ["few_schedules"]

Read = Callable[..., KernelFile]
Parse = Callable[..., CudaSource]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a text to a file and read it with NVRTC."""

    def read_text(text: str, kernel: str | None = None, define: Sequence[str] = (), **headers: str) -> KernelFile:
        for name, content in headers.items():
            (tmp_path / f"{name}.h").write_text(content)
        path = tmp_path / "kernel.cu"
        path.write_text(text)
        return read_cuda(
            path,
            Compilers(kernels.tools()),
            CompileOptions(define=tuple(define), device_launches=False),
            names=KernelNames(kernel=kernel),
        )

    return read_text


@pytest.fixture
def parse(tmp_path: Path) -> Parse:
    """Parse a text without compiling it."""

    def parse_text(
        text: str | bytes, define: Sequence[str] = (), words: Sequence[str] | None = None, usual: Sequence[str] = ()
    ) -> CudaSource:
        content = text if isinstance(text, bytes) else text.encode()
        main = UserFile.of(tmp_path / "kernel.cu", "kernel.cu", content)
        return CudaSource(read_unit(main, (), ()), define, words, usual)

    return parse_text

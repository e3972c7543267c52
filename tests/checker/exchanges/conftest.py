"""The advice on a kernel whose body a test gives, and few schedules to check it under."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from shflbench.checker import FileOptions, KernelAdvice, advise_file, parse_arguments, parse_shape
from shflbench.checker.options import LaunchOptions
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers
from tests.checker.schedules import few_schedules

__all__ = ["few_schedules"]

Advise = Callable[..., KernelAdvice]
ROWS = "int t = threadIdx.x, lane = t % 32; __shared__ int s[256]; s[t] = in[t]; "
BARRIER = "__syncthreads(); "
BUFFERS = ["in=i32[256]", "out=i32[512]"]


@pytest.fixture
def advise(tmp_path: Path, kernel_cache: Path) -> Advise:
    """Return the advice on the only kernel of a text, at launches that `--launch` gives."""

    def call(
        body: str,
        *launches: str,
        arguments: Sequence[str] = (),
        head: str = "",
        cluster: int | None = None,
        host: str = "",
    ) -> KernelAdvice:
        file = tmp_path / "kernel.cu"
        signature = "__global__ void kernel(const int* in, int* out, int n)"
        file.write_text(f"{head}{signature} {{\n{body}\n}}\n{host}", encoding="utf-8")
        shapes = tuple(map(parse_shape, launches))
        given = parse_arguments(arguments)
        blocks = None if cluster is None else (cluster, 1, 1)
        options = FileOptions(
            compilers=Compilers(find(), cache=kernel_cache),
            given=LaunchOptions(launches=shapes, arguments=given, cluster=blocks),
            outputs=False,
        )
        (advice,) = advise_file(file, options, lambda _: None)
        return advice

    return call

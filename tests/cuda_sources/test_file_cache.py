"""The cache of CUDA files: what is read from it is equal, and nothing is, if anything changed that decides it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shflbench.cuda.compile import data_cache
from shflbench.cuda.compile.cache import write_entry
from shflbench.cuda.compile.ptx_process import SHARED, UnfinishedError
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources import read as reading
from shflbench.cuda_sources.file_cache import KERNELS
from shflbench.cuda_sources.kernel_file import CompileOptions, HostChange, KernelFile
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers, HostOptions
from shflbench.cuda_sources.recent_sources import recent_source

HEADER = "template <typename T> struct Pair { T first, second; };\n"
TEXT = """\
#include <cstdlib>
#include "pair.h"
template <typename T> __global__ void add(T* out, const T* in, Pair<int> sizes, float factor) {
    if (threadIdx.x < sizes.first) out[threadIdx.x] = in[threadIdx.x] * factor;
}
int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 64;
    float table[3] = {1.5f, 2.0f, 4.0f}, *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, table, sizeof(table), cudaMemcpyHostToDevice);
    add<float><<<1, n>>>(out, in, Pair<int>{n, 1}, 0.5f);
}
"""
Read = Callable[..., KernelFile]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of each file that was read, and not taken from the cache."""
    done: list[str] = []

    def counted(unit: Any, *arguments: Any) -> Any:
        done.append(unit.main.path.name)
        return recent_source(unit, *arguments)

    monkeypatch.setattr(reading, "recent_source", counted)
    return done


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Read kernels.cu with pair.h, with a cache that is empty at first."""
    monkeypatch.chdir(tmp_path)

    def call(
        text: str = TEXT, header: str = HEADER, *, cached: bool = True, host: HostOptions | None = None, **options: Any
    ) -> KernelFile:
        Path("kernels.cu").write_text(text, encoding="utf-8")
        Path("pair.h").write_text(header, encoding="utf-8")
        cache = tmp_path / "cache" if cached else None
        return read_cuda(
            Path("kernels.cu"), Compilers(find(), cache=cache), CompileOptions(**options), host or HostOptions()
        )

    return call


def test_file_of_the_cache_is_the_file(read: Read, runs: list[str]) -> None:
    first, again = read(), read()
    assert runs == ["kernels.cu"]
    assert repr(again) == repr(first) == repr(read(cached=False))
    (kernel,) = again.kernels
    assert {launch.block for launch in kernel.host_launches} == {(64, 1, 1), (1024, 1, 1)}


def test_whatever_decides_a_file_is_read_again(read: Read, runs: list[str]) -> None:
    read()
    read(TEXT.replace(": 64", ": 96"))
    read(header=HEADER + "// a comment\n")
    read(define=("N=1",))
    read(host=HostOptions(("32",)))
    read(host=HostOptions(change=HostChange({"n": 128})))
    Path("Makefile").write_text("run:\n\t./kernels 512\nkernels: kernels.cu\n\tnvcc -o kernels kernels.cu\n")
    read()
    assert len(runs) == 7
    read()
    assert len(runs) == 7


def test_a_damaged_entry_is_read_again(read: Read, runs: list[str], tmp_path: Path) -> None:
    first = read()
    entries = list((tmp_path / "cache").rglob(f"*.{KERNELS}"))
    assert entries
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-20])
    assert read() == first
    assert len(runs) == 2


def test_a_file_is_not_kept_if_the_compiler_failed_once(
    read: Read, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = "__global__ void foo() {\n    __shared__ int a[128];\n    a[threadIdx.x] = threadIdx.x;\n}\n"
    with monkeypatch.context() as patch:
        plain = SHARED.compile

        def compile_once(unit: Any, *arguments: Any) -> Any:
            if "-G" in unit.options:
                raise UnfinishedError("NVRTC did not end", "Try again.")
            return plain(unit, *arguments)

        patch.setattr(SHARED, "compile", compile_once)
        without_debug = read(removed)
    again = read(removed)
    assert len(runs) == 2
    assert again.unoptimized_ptx
    assert not without_debug.unoptimized_ptx


def test_macros_of_the_build_are_looked_up_each_time(read: Read, runs: list[str]) -> None:
    text = TEXT.replace("* factor", "* factor * SCALE")
    Path("CMakeLists.txt").write_text("add_compile_definitions(SCALE=3)\n")
    with_three = read(text)
    before = len(runs)
    Path("CMakeLists.txt").write_text("add_compile_definitions(SCALE=5)\n")
    assert read(text).ptx != with_three.ptx
    assert len(runs) > before


def test_an_entry_creates_nothing_but_what_its_cache_names(tmp_path: Path) -> None:
    cache = data_cache.DataCache(tmp_path, "test", (UnfinishedError,))
    path = cache.path("anything")
    assert path is not None
    for text in ('{"is": "Popen", "of": {"args": "true"}}', '{"is": "KernelFile", "of": {}}'):
        write_entry(path, text.encode())
        assert cache.read(path) is None
    cache.write(path, Path)  # no data
    cache.write(path, [1])
    assert cache.read(path) is None
    cache.write(path, (1, 2.0, b"\xff", None, {"a": Path("b")}))
    assert cache.read(path) == (1, 2.0, b"\xff", None, {"a": Path("b")})

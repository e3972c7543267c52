"""NVRTC in a process of its own, and the cache of what it returns."""

import dataclasses
import os
from pathlib import Path

import pytest

from shflbench.core import processes
from shflbench.cuda.compile import ptx_cache, ptx_process
from shflbench.cuda.compile.nvrtc import PtxUnit, compile_ptx
from shflbench.cuda.compile.ptx_cache import MAXIMUM_ENTRIES, PTX, PtxCompiler
from shflbench.cuda.compile.ptx_process import SHARED, PtxProcess, UnfinishedError
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompilerError
from tests import kernels

UNIT = PtxUnit(b"__global__ void k(int *p) { *p = 1; }\n", "k.cu", {}, (), ("-arch=compute_90",))
# Each macro repeats the one before ten times: 10^12 statements.
BOMB = b"#define A0 *p += 1;\n" + b"".join(
    b"#define A%d %s\n" % (level, b"A%d " % (level - 1) * 10) for level in range(1, 13)
)


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> PtxProcess:
    """Another process takes the place of the shared one, and must not be used."""
    unused = PtxProcess()
    monkeypatch.setattr(ptx_cache, "SHARED", unused)
    return unused


def test_the_process_returns_what_nvrtc_returns() -> None:
    assert SHARED.compile(UNIT, kernels.tools()) == compile_ptx(UNIT, kernels.tools())
    rejected = SHARED.compile(dataclasses.replace(UNIT, text=b"\nint x = y;\n"), kernels.tools())
    assert {(item.file, item.line) for item in rejected.errors} == {("k.cu", 2)}


def test_headers_are_named_below_the_folder_in_which_the_caller_works_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = PtxProcess()
    header = b"__device__ void put(int *p) { *p = 1; }\n"
    text = b'#include "put.cuh"\n__global__ void k(int *p) { put(p); }\n'
    unit = PtxUnit(text, "k.cu", {"put.cuh": header}, (), (*UNIT.options, "-lineinfo"))
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert f'"{tmp_path / name / "put.cuh"}"' in str(process.compile(unit, kernels.tools()).ptx)
    (tmp_path / "second").rmdir()
    assert process.compile(unit, kernels.tools()).ptx
    process.end()


def test_a_process_that_cannot_be_started_is_no_crash_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/no/python")
    with pytest.raises(CompilerError, match="no process can be started to compile in: no such file or directory"):
        PtxProcess().compile(UNIT, kernels.tools())


def test_a_compilation_without_end_is_ended_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    process = PtxProcess()
    process.compile(UNIT, kernels.tools())
    bomb = dataclasses.replace(UNIT, text=BOMB + b"__global__ void k(int *p) { A12 }\n")
    with monkeypatch.context() as context:
        context.setattr(ptx_process, "TIMEOUT_S", 0.3)
        with pytest.raises(UnfinishedError, match=r"^k\.cu does not compile within 0\.3 s$"):
            process.compile(bomb, kernels.tools())
    assert process.compile(UNIT, kernels.tools()).ptx
    process.end()


@pytest.mark.archs
def test_a_compilation_ends_after_its_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = dataclasses.replace(UNIT, text=BOMB + b"__global__ void k(int *p) { A12 }\n")
    monkeypatch.setattr(ptx_process, "CPU_S", 1)
    with pytest.raises(UnfinishedError, match=r"^k\.cu does not compile within 1 s$"):
        PtxProcess().compile(bomb, kernels.tools())


def test_a_compiler_that_crashes_ends_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_SERVE", "import os; os.abort()")
    with pytest.raises(UnfinishedError, match=r"^k\.cu does not compile: NVRTC crashed"):
        PtxProcess().compile(UNIT, kernels.tools())


def test_what_was_compiled_is_read_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text('#include "width.h"\n__global__ void k(int *p) { *p = WIDTH; }\n')
    (tmp_path / "width.h").write_text("#define WIDTH 4\n")

    def read() -> str:
        return read_cuda(path, Compilers(kernels.tools(), cache=tmp_path / "cache"), CompileOptions()).ptx

    first = read()
    with monkeypatch.context() as context:
        context.setattr(processes, "_SERVE", "not used")
        context.setattr(ptx_cache, "SHARED", PtxProcess())
        assert read() == first
    (tmp_path / "width.h").write_text("#define WIDTH 5\n")
    assert read() != first


def test_errors_are_cached_and_damaged_entries_are_not_used(tmp_path: Path, process: PtxProcess) -> None:
    compiler = PtxCompiler(kernels.tools(), tmp_path)
    rejected = dataclasses.replace(UNIT, text=b"\nint x = y;\n")
    errors = compiler.compile(rejected).errors
    process.end()
    assert compiler.compile(rejected).errors == errors
    (entry,) = tmp_path.glob(f"*/*.{PTX}")
    entry.write_bytes(b"damaged")
    assert compiler.compile(rejected).errors == errors
    process.end()


def test_a_header_that_only_the_preprocessor_knows_is_not_cached(tmp_path: Path, process: PtxProcess) -> None:
    text = b'#define NAME "other.h"\n#ifdef OTHER\n#include NAME\n#endif\n' + UNIT.text
    assert PtxCompiler(kernels.tools(), tmp_path).compile(dataclasses.replace(UNIT, text=text)).ptx
    assert not list(tmp_path.iterdir())
    process.end()


def test_a_folder_of_the_cache_keeps_its_newest_entries(tmp_path: Path, process: PtxProcess) -> None:
    compiler = PtxCompiler(kernels.tools(), tmp_path)
    compiler.compile(UNIT)
    (entry,) = tmp_path.glob(f"*/*.{PTX}")
    content = entry.read_bytes()
    entry.unlink()
    for number in range(MAXIMUM_ENTRIES + 3):
        old = entry.with_name(f"{number}.{PTX}")
        old.write_bytes(content)
        os.utime(old, (number, number))
    compiler.compile(UNIT)
    kept = {path.name for path in entry.parent.iterdir()}
    assert kept == {entry.name, *(f"{number}.{PTX}" for number in range(4, MAXIMUM_ENTRIES + 3))}
    process.end()

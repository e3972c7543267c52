"""Device functions that another source of the program defines, as with `nvcc -dc`."""

from pathlib import Path

import pytest

from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

HEADER = "__device__ float scaled(float x);\n__device__ float twice(float x);\n"
KERNEL = '#include "device.h"\n__global__ void kernel(float *p) { p[threadIdx.x] = scaled(p[threadIdx.x]); }\n'
OTHER = """#include "device.h"
#include "factor.h"
__device__ float scaled(float x) { return FACTOR * twice(x); }
__global__ void other(float *p) { *p = FACTOR; }
"""
THIRD = "__device__ float twice(float x) { return 2 * x; }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A kernel whose device functions stand in two further sources."""
    files = {
        "kernel.cu": KERNEL,
        "other.cu": OTHER,
        "third.cu": THIRD,
        "device.h": HEADER,
        "factor.h": "#define FACTOR 3",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def read(folder: Path) -> KernelFile:
    return read_cuda(folder / "kernel.cu", Compilers(kernels.tools(), cache=folder / "cache"), CompileOptions())


def test_sources_that_define_called_device_functions_are_compiled_with_the_file(folder: Path) -> None:
    file = read(folder)
    assert ".extern .func" not in file.ptx
    assert [kernel.name for kernel in file.kernels] == ["kernel"]
    assert folder / "other.cu" in file.files.values()


def test_a_changed_device_function_is_compiled_again(folder: Path) -> None:
    before = read(folder).ptx
    (folder / "factor.h").write_text("#define FACTOR 5")
    assert read(folder).ptx != before


def test_a_source_that_does_not_compile_leaves_the_function_undefined(folder: Path) -> None:
    (folder / "other.cu").write_text(OTHER.replace("twice(x)", "missing(x)"))
    file = read(folder)
    assert "_Z6scaledf" in file.ptx.partition(".extern .func")[2]


def test_of_two_sources_that_define_the_function_the_first_is_compiled(folder: Path) -> None:
    (folder / "another.cu").write_text(OTHER.replace("FACTOR", "7").replace("other", "another"))
    assert folder / "another.cu" in read(folder).files.values()
    assert folder / "other.cu" not in read(folder).files.values()


@pytest.mark.parametrize(
    ("declared", "defined", "undefined"),
    [
        ("const float x, float *p", "float x, float *const p", ""),
        ("float x, float *__restrict p", "const float x, float *p", ""),
        ("float x, const float *p", "float x, float *p", "_Z6scaledfPKf"),
    ],
)
def test_declarations_are_joined_unless_their_symbols_differ(
    folder: Path, declared: str, defined: str, undefined: str
) -> None:
    """A `const` of a parameter itself is no part of the symbol, that of what it points to is."""
    call = "p[threadIdx.x] = scaled(p[threadIdx.x], p);"
    (folder / "device.h").write_text(f"__device__ float scaled({declared});\n")
    (folder / "kernel.cu").write_text(f'#include "device.h"\n__global__ void kernel(float *p) {{ {call} }}\n')
    (folder / "other.cu").write_text(f"__device__ float scaled({defined}) {{ return x * p[0]; }}\n")
    behind = read(folder).ptx.partition(".extern .func")[2]
    assert undefined in behind
    assert bool(behind) == bool(undefined)

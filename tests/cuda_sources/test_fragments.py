"""Files that are a part of another one and do not compile alone."""

from functools import partial
from pathlib import Path

import pytest

from shflbench.cuda_sources.fragments import read_with_includer
from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError, TemplatesError
from tests import kernels

KERNEL = "__global__ void k(Number *out) { out[threadIdx.x] = 1; }\n"
MAIN = """typedef float Number;
#include "kernel.cu"
__global__ void other(Number *out) { out[threadIdx.x] = 2; }
int main() {
  Number *out;
  cudaMalloc(&out, 128);
  k<<<1, 32>>>(out);
}
"""


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    path = tmp_path / "parts/kernel.cu"
    path.write_text(KERNEL)
    return path


def read(path: Path) -> KernelFile:
    return read_with_includer(path, partial(read_cuda, compilers=Compilers(kernels.tools()), given=CompileOptions()))


@pytest.mark.parametrize(("name", "included"), [("parts/main.cu", "kernel.cu"), ("main.cu", "parts/kernel.cu")])
def test_a_part_is_compiled_with_the_file_that_includes_it(part: Path, name: str, included: str) -> None:
    Path(name).write_text(MAIN.replace("kernel.cu", included))
    file = read(part)
    (kernel,) = file.kernels
    assert (file.path, kernel.name, len(kernel.host_launches)) == (part, "k", 1)
    assert [note.text for note in file.notes] == [
        f"compiled as a part of {name}, which includes it: it does not compile alone"
    ]


def test_a_part_of_a_part_is_compiled_with_the_whole_file(part: Path) -> None:
    Path("parts/work.cu").write_text('#include "kernel.cu"\n__global__ void work(Number *out) { *out = 3; }\n')
    Path("parts/main.cu").write_text(MAIN.replace("kernel.cu", "work.cu"))
    assert [kernel.name for kernel in read(part).kernels] == ["k"]


def test_a_part_has_no_kernels_of_which_another_file_says_nothing(part: Path) -> None:
    launch = (
        "void f(Number *p) { hidden<<<1, 64>>>(p); }\ntemplate <int N> __global__ void open(Number *p) { *p = N; }\n"
    )
    Path("main.cu").write_text(f'#include "timer.h"\n{MAIN.replace("kernel.cu", "parts/kernel.cu")}{launch}')
    file = read(part)
    assert ([item.name for item in file.kernels], file.rejected) == (["k"], ())
    assert not any("hidden" in note.text or "open" in note.text for note in file.notes)
    assert [item.name for item in read(Path("main.cu")).rejected] == ["hidden"]


def test_a_file_that_compiles_alone_is_no_part(part: Path) -> None:
    part.write_text(f"typedef int Number;\n{KERNEL}")
    Path("main.cu").write_text(MAIN.replace("kernel.cu", "parts/kernel.cu"))
    file = read(part)
    assert (file.kernels[0].parameters[0].type, file.notes) == ("Number *", ())


@pytest.mark.parametrize("outer", ["", '#include "kernel.cu"\n', 'typedef int Number;\n#include "../kernel.cu"\n'])
def test_a_part_that_no_file_completes_keeps_its_error(part: Path, outer: str) -> None:
    Path("parts/main.cu").write_text(f"{outer}__global__ void other(int *out) {{ *out = 2; }}\n")
    with pytest.raises(CompileError, match=r"parts/kernel\.cu does not compile: .*kernel\.cu:1: "):
        read(part)


@pytest.mark.parametrize("line", ["texture<float, 1> table;", '#include "absent.h"'])
def test_what_another_file_cannot_bring_is_an_error_at_once(part: Path, line: str) -> None:
    part.write_text(f"{line}\n__global__ void k(float *out) {{ *out = tex1Dfetch(table, 0); }}\n")
    Path("parts/main.cu").write_text(MAIN)
    tried = []

    def read_and_note(path: Path) -> KernelFile:
        tried.append(path)
        return read_cuda(path, Compilers(kernels.tools()), CompileOptions())

    with pytest.raises(CompileError):
        read_with_includer(part, read_and_note)
    assert tried == [part]


HEADER = """template <int N> __global__ void fill(float *p) { p[threadIdx.x] = N; }
template <int N> void run(float *p, int blocks) { fill<N><<<blocks, N>>>(p); }
"""


@pytest.mark.usefixtures("part")
def test_a_header_of_templates_has_the_instances_of_a_file_that_includes_it() -> None:
    """Of files that include it, the one that names its kernels by a header between them."""
    Path("README").write_text("A library.\n")
    Path("include").mkdir()
    header = Path("include/fill.cuh").resolve()
    header.write_text(HEADER)
    with pytest.raises(TemplatesError):
        read(header)
    Path("parts/make.cuh").write_text(
        "#include <include/fill.cuh>\n#define MAKE(N) template __global__ void fill<N>(float *)\n"
    )
    Path("parts/aaa.cu").write_text('#include "../include/fill.cuh"\n__global__ void other(int *p) { *p = 1; }\n')
    Path("parts/made.cu").write_text('#include "make.cuh"\nMAKE(48);\n' + "// A comment that makes it longer.\n" * 9)
    file = read(header)
    assert [kernel.name for kernel in file.kernels] == ["fill<48>"]
    assert file.notes[0].text == "compiled as a part of parts/made.cu, which includes it: it has only templates"


def test_a_file_of_templates_is_no_part_of_another_one(part: Path) -> None:
    part.write_text(HEADER)
    Path("parts/main.cu").write_text('#include "kernel.cu"\ntemplate __global__ void fill<48>(float *);\n')
    with pytest.raises(TemplatesError):
        read(part)

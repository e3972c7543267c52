"""Every kernel of the compiled code is reported, or named among those that are left out."""

import re
from pathlib import Path

import pytest

from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile, SourceKernel
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from shflbench.cuda_sources.sampling import sample_instances
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.cuda_sources.users_kernels import users_kernels
from tests import kernels
from tests.cuda_sources.conftest import Parse, Read

TESTS = Path(__file__).parents[1]
FILES = sorted(
    path
    for folder in ("checker/kernels/algorithms", "checker/fixes/open", "cli/check")
    for path in (TESTS / folder).rglob("*.cu")
)
ENTRY = re.compile(r"^[ \t]*(?:\.\w+[ \t]+)*\.entry\s+([\w$]+)", re.MULTILINE)
MANY = "".join(f"template __global__ void k<{number}>(int *);\n" for number in range(20))
TEMPLATES = {
    "many": f"template <int N> __global__ void k(int *p) {{ *p = N; }}\n{MANY}",
    "names": """
enum class Mode { A };
template <class T> struct Box { T v; };
__device__ int twice(int i) { return 2 * i; }
template <Mode M> __global__ void a(int *p) { *p = (int)M; }
template <int (*F)(int)> __global__ void b(int *p) { *p = F(3); }
template <template <class> class C, class T> __global__ void c(C<T> box, T *p) { *p = box.v; }
template <class... A> __global__ void d(float *p, A... a) { *p = (0.f + ... + float(a)); }
namespace { template <class T> __global__ void e(T *p) { *p = 1; } }
template __global__ void a<Mode::A>(int *);
template __global__ void b<twice>(int *);
template __global__ void c<Box, int>(Box<int>, int *);
template __global__ void d<int, double>(float *, int, double);
template __global__ void d<>(float *);
void f(float *p) { e<<<1, 1>>>(p); }
""",
    "mixed": """
template <class T> __global__ void k(T *p) { *p = 1; }
template <class T> __global__ void other(T *p) { *p = 2; }
template __global__ void k<short>(short *);
void f(float *p, int *q) { k<<<1, 1>>>(q); k<float><<<1, 1>>>(p); }
""",
}


def require_every_entry(file: KernelFile) -> None:
    kept, notes = sample_instances(file.kernels)
    reported = [kernel.symbol for kernel in kept]
    left_out = [symbol for note in (*file.notes, *notes) for symbol in note.left_out]
    assert sorted([*reported, *left_out]) == sorted(set(ENTRY.findall(file.ptx)))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_kernel_of_a_file_has_a_report(path: Path) -> None:
    require_every_entry(read_cuda(path, Compilers(kernels.tools()), CompileOptions()))


@pytest.mark.parametrize("text", TEMPLATES.values(), ids=TEMPLATES)
def test_each_instance_of_a_template_has_a_report_or_is_named(read: Read, text: str) -> None:
    require_every_entry(read(text))


def test_kernels_of_libraries_are_named_in_a_note(parse: Parse, tmp_path: Path) -> None:
    header = tmp_path / "library.cuh"
    header.touch()
    names = ("fill", "zero", "own")
    places = [SourceLine(header, 3), SourceLine(header, 9), SourceLine(tmp_path / "kernel.cu", 1)]
    given = [SourceKernel(name, f"_Z{name}", (), place) for name, place in zip(names, places, strict=True)]
    listed, (note,) = users_kernels(parse("__global__ void own() { }"), given)
    assert [kernel.name for kernel in listed] == ["own"]
    assert note.text.startswith("not checked: `fill` (")
    assert note.text.endswith(
        "library.cuh:3) and 1 other kernel, which are defined in headers of libraries or in other sources"
    )
    assert note.left_out == ("_Zfill", "_Zzero")

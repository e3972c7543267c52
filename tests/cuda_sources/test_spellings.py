"""Forms of CUDA C++ that the grammar, NVRTC or one standard of C++ does not take as they are."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.cuda.compile.nvrtc import PtxResult, PtxUnit
from shflbench.cuda.compile.ptx_cache import PtxCompiler
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError
from tests.cuda_sources.conftest import Parse, Read

KERNEL = "(int *data, int n) { data[n] = 1; }\nvoid f() { k<<<2, 64>>>(d, 3); }\n"


@pytest.mark.parametrize(
    "text",
    [
        f"__global__ void __cluster_dims__(2, 1, 1) k{KERNEL}",
        f"__global__ void __launch_bounds__(128, 2) k{KERNEL}",
        f"__global__ __launch_bounds__(max(64, 2 * (3 + 1))) void k{KERNEL}",
        f"__global__ void __block_size__((64, 1, 1), (2, 1, 1)) k{KERNEL}",
        f"__global__ void __maxnreg__(32) k{KERNEL}",
        f"#define BOUNDS __launch_bounds__(64)\n__global__ void BOUNDS __cluster_dims__(2) k{KERNEL}",
        f"#define BOUNDS(n) __launch_bounds__(n)\n__global__ void BOUNDS(64) k{KERNEL}",
        f"#define BOUNDS __launch_bounds__(64)\n__global__ BOUNDS void\nk{KERNEL}",
        (
            "#define ADD(name, op) __global__ void name(int *p) { \\\n  *p = *p op 1; }\n"
            f"ADD(plus, +)\n  ADD(minus, -);\n__global__ void k{KERNEL}"
        ),
    ],
    ids=["cluster", "bounds", "expression", "size", "registers", "word", "call", "before", "macro"],
)
def test_the_grammar_reads_kernels_beside_what_it_does_not_know(parse: Parse, text: str) -> None:
    source = parse(text)
    (definition,) = source.named("k")
    assert [(item.name, item.type) for item in definition.parameters] == [("data", "int *"), ("n", "int")]
    assert [launch.launch.block for launch in source.launches_of(definition)] == [(64, 1, 1)]
    assert not source.unit.main.tree.root_node.has_error


@pytest.mark.parametrize("arguments", ["double, 8", "const unsigned int *, 8", "8, float"])
@pytest.mark.parametrize("use", ["  STEP({})\n", "  if (n) STEP({}) else STEP({});\n", "  { STEP({}) }\n"])
def test_the_grammar_reads_what_follows_a_macro_with_a_type(parse: Parse, use: str, arguments: str) -> None:
    text = f"#define STEP(a, b) {{ step<a>(b); }}\nvoid g(int n) {{\n{use.replace('{}', arguments)}}}\n"
    source = parse(f"{text}__global__ void k{KERNEL}")
    (definition,) = source.named("k")
    assert [launch.launch.block for launch in source.launches_of(definition)] == [(64, 1, 1)]


def test_what_the_grammar_does_not_read_reaches_the_compiler(read: Read) -> None:
    result = read(f"__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) k{KERNEL}")
    (kernel,) = result.kernels
    assert kernel.launch_bounds.cluster == (2, 1, 1)
    assert kernel.launch_bounds.max_threads == (64, 1, 1)


def test_kernels_that_a_macro_defines_are_compiled(read: Read) -> None:
    result = read("#define ADD(name, op) __global__ void name(int *p) { *p = *p op 1; }\nADD(plus, +)\nADD(minus, -)\n")
    assert [(item.name, item.place and item.place.line) for item in result.kernels] == [("plus", 2), ("minus", 3)]


def test_a_text_of_a_newer_standard_is_compiled_as_such(read: Read) -> None:
    result = read(
        "template <typename T> concept Number = requires(T a) { a + a; };\n"
        "template <Number T> __global__ void k(T *p) { auto f = []<typename U>(U x) { return x + 1; }; *p = f(*p); }\n"
        "void host() { double *d; k<double><<<1, 32>>>(d); }\n"
    )
    assert [item.name for item in result.kernels] == ["k<double>"]


def test_a_text_that_only_looks_newer_is_compiled_in_the_older_standard(read: Read) -> None:
    text = "__device__ int requires(int n) { return n; }\n__global__ void k(int *p) { *p = requires(2); }\n"
    assert [item.name for item in read(text).kernels] == ["k"]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("curand_mtgp32.h", "there is no header curand_mtgp32.h; pass its folder with -I, or install cuRAND"),
        ("inner/absent.cuh", "there is no header inner/absent.cuh; pass its folder with -I$"),
    ],
)
def test_a_missing_header_is_named_with_what_to_do(read: Read, name: str, advice: str) -> None:
    with pytest.raises(CompileError, match=advice):
        read(f"#include <{name}>\n__global__ void k(int *p) {{ *p = NUMBER; }}\n")


def test_a_header_that_one_of_cuda_includes_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolkit = tmp_path / "toolkit"
    toolkit.mkdir()
    (toolkit / "mma.h").write_text('#include "crt/mma.h"\n')
    path = tmp_path / "kernel.cu"
    path.write_text("#include <mma.h>\n__global__ void k(int *p) { *p = std::max(1, 2); }\n")
    compiled: list[PtxUnit] = []
    compile_ptx = PtxCompiler.compile

    def counted(compiler: PtxCompiler, unit: PtxUnit, timeout_s: float) -> PtxResult:
        compiled.append(unit)
        return compile_ptx(compiler, unit, timeout_s)

    monkeypatch.setattr(PtxCompiler, "compile", counted)
    with pytest.raises(CompileError, match=r"mma\.h:1: there is no header crt/mma\.h; .*: nvidia-cuda-crt\)"):
        read_cuda(path, Compilers(replace(find(), headers=(toolkit,))), CompileOptions())
    assert len(compiled) == 1  # a further attempt takes as long, and ends the same


def test_a_missing_header_in_a_folder_nearby_is_named_with_that_folder(read: Read, tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "own.h").write_text("#define N 1\n")
    with pytest.raises(CompileError, match=f"there is no header own.h; pass -I {tmp_path / 'inc'}$"):
        read('#include "own.h"\n__global__ void k(int *p) { *p = N; }\n')


def test_a_type_that_cuda_aligns_stays_in_the_device_code(read: Read) -> None:
    text = "struct __align__(16) Odd { float a; int b; float c; };\n__device__ Odd twice(Odd x) { return x; }\n"
    (kernel,) = read(f"{text}__global__ void k(Odd *p) {{ *p = twice(*p); }}").kernels
    assert kernel.parameters[0].type == "Odd *"


@pytest.mark.parametrize(
    "text",
    [
        "#include <CL/cl.h>\nvoid f(cl_mem x) { clFinish(x); }\n__global__ void k(int *p) { *p = 1; }\n",
        '#include "stb_image.h"\nint main() { stbi_load("x"); }\n__global__ void k(int *p) { *p = 1; }\n',
        "#include <unistd.h>\n#if _POSIX_VERSION < 200112L\n#error\n#endif\n__global__ void k(int *p) { *p = 1; }\n",
        "#include <gsl/gsl_math.h>\nint main() { return gsl_isnan(1.0); }\n__global__ void k(int *p) { *p = 1; }\n",
    ],
)
def test_headers_of_the_host_are_not_needed_for_device_code(read: Read, text: str) -> None:
    assert [item.name for item in read(text).kernels] == ["k"]


@pytest.mark.archs
def test_device_code_uses_cub_without_nvcc(read: Read) -> None:
    text = (
        "#include <cub/cub.cuh>\n"
        "__global__ void k(int *p) {\n"
        "  __shared__ typename cub::BlockReduce<int, 64>::TempStorage storage;\n"
        "  p[threadIdx.x] = cub::BlockReduce<int, 64>(storage).Sum(p[threadIdx.x]);\n}\n"
        "int main() { cub::DeviceReduce::Sum(nullptr, n, in, out, 4); k<<<1, 64>>>(in); }\n"
    )
    assert [item.name for item in read(text).kernels] == ["k"]


def test_fields_are_initialized_by_name(read: Read) -> None:
    text = "struct Pixel { int r, g; };\n__constant__ Pixel black = {.r = 0, .g = 0};\n"
    assert len(read(f"{text}__global__ void k(int *p) {{ *p = black.r; }}\n").kernels) == 1


def test_a_texture_reference_is_named_as_removed(read: Read) -> None:
    text = "texture<float, 1> table;\n__global__ void k(float *p) { *p = tex1Dfetch(table, 0); }\n"
    with pytest.raises(CompileError, match=r"kernel\.cu:2: CUDA 12 removed texture references"):
        read(text)


def test_a_shuffle_without_mask_is_named_as_one_of_older_gpus(read: Read) -> None:
    with pytest.raises(CompileError, match=r"kernel\.cu:1: `__shfl_up` exists below sm_70 only; .* `__shfl_up_sync`"):
        read("__global__ void k(int *p) { *p = __shfl_up(*p, 1); }\n")

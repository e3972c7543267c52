"""The other files of a program: which ones belong to it, and the launches that they lead to."""

from pathlib import Path

import pytest

from shflbench.cuda_sources import host_source
from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.includes import read_unit
from shflbench.cuda_sources.kernel_file import CompileOptions, HostLaunch
from shflbench.cuda_sources.neighbors import MAXIMUM_BYTES, neighbors
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

KERNEL = """
#include "scale.h"
__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
void run(float *out, const float *in, int n, int threads) {
    scale<<<(n + threads - 1) / threads, threads>>>(out, in, n);
}
"""
HEADER = "void run(float *out, const float *in, int n, int threads);"
MAIN = """
#include "scale.h"
int main() {
    float *values;
    int n = 4000;
    cudaMalloc(&values, n * sizeof(float));
    run(values, values, n, 256);
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program of two sources and a header."""
    for name, text in {"scale.cu": KERNEL, "scale.h": HEADER, "main.cpp": MAIN}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def joined(path: Path) -> list[str]:
    main = UserFile.of(path, path.name, path.read_bytes())
    return [file.path.name for file in neighbors(read_unit(main, (), ()), ())]


def launches(path: Path) -> tuple[HostLaunch, ...]:
    (kernel,) = read_cuda(path, Compilers(kernels.tools()), CompileOptions()).kernels
    return kernel.host_launches


def test_the_caller_in_another_file_decides_on_launch_and_arguments(folder: Path) -> None:
    (launch,) = launches(folder / "scale.cu")
    assert (launch.grid, launch.block, launch.assumed) == ((16, 1, 1), (256, 1, 1), ())
    out, source, n = launch.arguments
    assert (out.buffer, n.value) == (source.buffer, 4000)


def test_a_function_that_the_caller_passes_on_is_called(folder: Path) -> None:
    times = "void times(void (*f)(float *, const float *, int, int), float *v, int n)"
    text = MAIN.replace("run(values, values, n, 256);", "times(run, values, n);")
    text = text.replace("int main", f"{times};\nint main")
    (folder / "main.cpp").write_text(f"{text} {times} {{ f(v, v, n, 128); }}")
    (launch,) = launches(folder / "scale.cu")
    assert launch.block == (128, 1, 1)


def test_a_kernel_that_another_file_launches_gets_its_arguments(folder: Path) -> None:
    (folder / "scale.h").write_text("__global__ void scale(float *out, const float *in, int n);")
    (folder / "scale.cu").write_text(KERNEL.partition("void run")[0])
    (folder / "main.cu").write_text(MAIN.replace("run(values, values, n, 256)", "scale<<<8, 512>>>(values, values, n)"))
    (folder / "main.cpp").unlink()
    (launch,) = launches(folder / "scale.cu")
    assert (launch.grid, launch.block) == ((8, 1, 1), (512, 1, 1))


def test_a_template_that_the_file_instantiates_gets_the_launches_of_the_other_file(folder: Path) -> None:
    (folder / "scale.h").write_text("template <int N> __global__ void scale(float *out, const float *in, int n);")
    text = KERNEL.partition("void run")[0].replace("__global__", "template <int N> __global__")
    instance = "template __global__ void scale<2>(float *, const float *, int);"
    (folder / "scale.cu").write_text(f"{text} {instance}")
    text = MAIN.replace("run(values, values, n, 256)", "scale<2><<<8, 512>>>(values, values, n)")
    (folder / "main.cu").write_text(text)
    (folder / "main.cpp").unlink()
    (launch,) = launches(folder / "scale.cu")
    assert (launch.grid, launch.block) == ((8, 1, 1), (512, 1, 1))


def test_a_function_between_main_and_the_kernel_may_stand_in_a_third_file(folder: Path) -> None:
    (folder / "main.cpp").write_text("void middle();\nint main() { middle(); }")
    (folder / "middle.cpp").write_text(MAIN.replace("int main", "void middle"))
    (folder / "other.cpp").write_text("void other() {}")
    assert joined(folder / "scale.cu") == ["main.cpp", "middle.cpp"]


def test_the_loader_of_a_program_limits_its_sizes(folder: Path) -> None:
    loader = '#include <fstream>\n#include <stdexcept>\nint load() { int n; std::ifstream in("n.txt"); in >> n;\n'
    loader += 'if (n > 64) throw std::runtime_error("too large"); return n; }'
    (folder / "load.cpp").write_text(loader)
    (folder / "main.cpp").write_text(MAIN.replace("int main", "int load();\nint main").replace("4000", "load()"))
    sizes = [launch.arguments[2].value for launch in launches(folder / "scale.cu")]
    assert sizes
    assert all(isinstance(size, int) and size <= 64 for size in sizes)


def test_a_program_that_computes_for_long_leaves_the_launches_of_the_function(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_source, "MOST_OF_SEVERAL", 100)
    loop = "for (int i = 0; i < 200; i++) values[i] = i;"
    (folder / "main.cpp").write_text(MAIN.replace("run(", f"{loop} run("))
    assert {dict(launch.assumed).get("threads") for launch in launches(folder / "scale.cu")} > {256}


def test_a_source_above_or_in_src_belongs_to_the_program(folder: Path) -> None:
    (folder / "cuda").mkdir()
    (folder / "src").mkdir()
    (folder / "scale.cu").rename(folder / "cuda/scale.cu")
    (folder / "scale.h").rename(folder / "cuda/scale.h")
    (folder / "main.cpp").rename(folder / "src/main.cpp")
    assert joined(folder / "cuda/scale.cu") == ["main.cpp"]


def test_what_every_user_may_write_belongs_to_no_program(folder: Path) -> None:
    assert joined(folder / "scale.cu") == ["main.cpp"]
    folder.chmod(0o777)
    assert joined(folder / "scale.cu") == []


def test_a_source_that_is_too_large_is_not_read(folder: Path) -> None:
    (folder / "main.cpp").write_text(MAIN + " " * MAXIMUM_BYTES)
    assert joined(folder / "scale.cu") == []


def test_a_file_that_calls_nothing_of_the_other_is_another_program(folder: Path) -> None:
    (folder / "main.cpp").write_text(MAIN.replace("run(", "// run("))
    assert joined(folder / "scale.cu") == []


def test_two_files_that_define_one_function_belong_to_two_programs(folder: Path) -> None:
    (folder / "main.cpp").write_text(MAIN + "void run(float *out, const float *in, int n, int threads) {}")
    assert joined(folder / "scale.cu") == []


def test_two_files_that_define_one_macro_or_constant_belong_to_two_programs(folder: Path) -> None:
    for first, second in (("#define N 1\n", "#define N 2\n"), ("const int N = 1;\n", "static const int N = 2;\n")):
        (folder / "scale.cu").write_text(first + KERNEL)
        (folder / "main.cpp").write_text(first + MAIN)
        assert joined(folder / "scale.cu") == ["main.cpp"] * first.startswith("#")
        (folder / "main.cpp").write_text(second + MAIN)
        assert joined(folder / "scale.cu") == []


def test_a_file_with_main_joins_what_it_calls_alone(folder: Path) -> None:
    (folder / "main.cpp").rename(folder / "main.cu")
    (folder / "other.cu").write_text("int main() {}")
    (folder / "scale.cu").rename(folder / "lib.cu")
    assert joined(folder / "main.cu") == ["lib.cu"]
    assert joined(folder / "other.cu") == []


def test_a_function_of_a_header_is_not_searched_for_elsewhere(folder: Path) -> None:
    (folder / "main.cpp").rename(folder / "main.cu")
    (folder / "scale.h").write_text(f"inline {HEADER[:-1]} {{}}")
    assert joined(folder / "main.cu") == []


def test_a_changed_caller_is_read_again(folder: Path) -> None:
    cache = folder / "cache"

    def block() -> object:
        file = read_cuda(folder / "scale.cu", Compilers(kernels.tools(), cache=cache), CompileOptions())
        return file.kernels[0].host_launches[0].block

    assert block() == (256, 1, 1)
    (folder / "main.cpp").write_text(MAIN.replace("256", "64"))
    assert block() == (64, 1, 1)


LIBRARY = """
template <int N> __global__ void fill(float *out) { out[blockIdx.x * N + threadIdx.x] = N; }
template __global__ void fill<64>(float *);
"""
LAUNCHER = """
template <int N> __global__ void fill(float *out);
void run(float *out, int blocks) {
    if constexpr (sizeof(int) == 4) fill<64><<<blocks, 64>>>(out);
}
"""


def test_without_a_program_launches_are_read_from_the_files_that_have_them(tmp_path: Path) -> None:
    (tmp_path / "fill.cu").write_text(LIBRARY)
    (tmp_path / "run.cu").write_text(LAUNCHER)
    (tmp_path / "other.cu").write_text("__global__ void other() {}\nvoid call() { other<<<1, 32>>>(); }")
    file = read_cuda(tmp_path / "fill.cu", Compilers(kernels.tools()), CompileOptions())
    (kernel,) = file.kernels
    assert {launch.block for launch in kernel.host_launches} == {(64, 1, 1)}
    notes = [note.text for note in file.notes if note.kind == "launch"]
    assert notes == ["launches of kernels that this file does not launch are read from `run.cu`"]


@pytest.mark.parametrize(
    ("launched", "names"),
    [
        ("copy<float, 64>", ["copy<float, 64>"]),
        ("copy<unsigned int, 2 * 16>", ["copy<unsigned int, 32>"]),
        ("copy<Pixel, 64>", []),  # a type of the other file
    ],
)
def test_templates_of_a_header_are_compiled_as_another_file_launches_them(
    tmp_path: Path, launched: str, names: list[str]
) -> None:
    text = "template <class T, int N> __global__ void copy(T *p) { p[threadIdx.x] = p[threadIdx.x + N]; }\n"
    (tmp_path / "copy.cuh").write_text(f"#pragma once\n{text}__global__ void clear(int *p) {{ *p = 0; }}\n")
    (tmp_path / "run.cu").write_text(
        f'#include "copy.cuh"\nstruct Pixel {{ int a; }};\nvoid run(void *p) {{ {launched}<<<1, 64>>>(p); }}\n'
    )
    file = read_cuda(tmp_path / "copy.cuh", Compilers(kernels.tools()), CompileOptions())
    assert [item.name for item in file.kernels if "<" in item.name] == names
    assert not file.rejected_instances


CLEAR = "template <typename T> static __global__ void clear(T *p);"


@pytest.mark.parametrize(
    ("header", "launchers"),
    [
        (f"{CLEAR}\ntemplate <> __global__ void clear<float>(float *p) {{ *p = 0; }}", ["sum.cu"]),
        ("static __global__ void __launch_bounds__(32) clear(float *p) { *p = 0; }", ["sum.cu"]),
        ("template <typename T> __global__ void clear(T *p) { *p = 0; }", []),  # compiled only where it is used
        ("__global__ void clear(float *p) { *p = 0; }\nvoid run(float *p) { clear<<<1, 1>>>(p); }", []),
        ("inline void clear(float *p) {}", []),
    ],
)
def test_launches_of_kernels_that_a_header_defines_are_read_from_the_files_that_have_them(
    tmp_path: Path, header: str, launchers: list[str]
) -> None:
    (tmp_path / "clear.h").write_text(f"#pragma once\n{header}\n")
    (tmp_path / "fill.cu").write_text('#include "clear.h"\n__global__ void fill(float *p) { p[threadIdx.x] = 1; }\n')
    (tmp_path / "sum.cu").write_text('#include "clear.h"\nvoid sum(float *p) { clear<<<1, 1>>>(p); }\n')
    assert joined(tmp_path / "fill.cu") == launchers
    if launchers:
        file = read_cuda(tmp_path / "fill.cu", Compilers(kernels.tools()), CompileOptions())
        shapes = {item.name.partition("<")[0]: [x.block for x in item.host_launches] for item in file.kernels}
        assert shapes == {"clear": [(1, 1, 1)], "fill": []}


def test_a_file_that_launches_its_kernels_needs_no_other_one(tmp_path: Path) -> None:
    (tmp_path / "fill.cu").write_text(LIBRARY + "void start(float *out) { fill<64><<<8, 64>>>(out); }")
    (tmp_path / "run.cu").write_text(LAUNCHER)
    assert joined(tmp_path / "fill.cu") == []

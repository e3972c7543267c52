"""Whole files, compiled with NVRTC."""

import re
from pathlib import Path

import pytest

from shflbench.cuda_sources.kernel_file import CompileOptions, KernelParameter
from shflbench.cuda_sources.read import read_cuda, read_ptx
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError, CompilerError, InputError, KernelError, ShflbenchError, UsageError
from tests import kernels
from tests.cuda_sources.conftest import Read

FILE = """#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define N 1024
struct Pair { int n; const float *data; };
template <typename T, int B>
__global__ void reduce(const T *__restrict__ in, T *out) {
  __shared__ T s[B];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[B - 1 - threadIdx.x];
}
namespace tools {
__global__ void __launch_bounds__(128) copy(Pair pair, float4 *out, bool twice) {
  if (threadIdx.x < pair.n) out[threadIdx.x].x = pair.data[threadIdx.x] * (twice ? 2 : 1);
}
}
static __global__ void fill(unsigned char *bytes) { bytes[threadIdx.x] = 1; }
int main() {
  std::vector<float> host(N);
  float *d;
  cudaMalloc(&d, N * sizeof(float));
  reduce<float, 64><<<1, 64>>>(d, d);
  printf("%f\\n", host[0]);
}
"""


def test_a_file_with_host_code_gives_its_kernels(read: Read) -> None:
    result = read(FILE)
    assert [kernel.name for kernel in result.kernels] == ["reduce<float, 64>", "tools::copy", "fill"]
    by_name = {kernel.name: kernel for kernel in result.kernels}
    copy, reduce = by_name["tools::copy"], by_name["reduce<float, 64>"]
    assert [(item.name, item.type, item.pointer, item.size, item.offset) for item in copy.parameters] == [
        ("pair", "Pair", False, 16, 0),
        ("out", "float4 *", True, 8, 16),
        ("twice", "bool", False, 1, 24),
    ]
    assert [(item.name, item.element, item.pointer) for item in copy.parameters[0].fields] == [
        ("n", "i4", False),
        ("data", "f4", True),
    ]
    assert copy.launch_bounds.max_threads == (128, 1, 1)
    assert reduce.parameters[0] == KernelParameter(
        "in", "const float *", "f4", pointer=True, size=8, const=True, element_bytes=4
    )
    assert reduce.place is not None
    assert (reduce.place.file.name, reduce.place.line) == ("kernel.cu", 7)
    assert [(item.grid, item.block, item.line.line) for item in reduce.host_launches] == [((1, 1, 1), (64, 1, 1), 23)]
    assert result.compiler.startswith("NVRTC")


def test_lines_of_the_ptx_are_those_of_the_file(read: Read, tmp_path: Path) -> None:
    result = read("void host() { }\n\n__global__ void k(int *p) {\n  p[0] = 1;\n}\n")
    assert list(result.files.values()) == [tmp_path / "kernel.cu"]
    assert re.findall(r"\.loc\s+1 (\d+)", result.ptx)[-2:] == ["4", "5"]


def test_headers_of_the_user_are_read_and_their_host_code_removed(read: Read, tmp_path: Path) -> None:
    result = read(
        '#include "tools.h"\n__global__ void k(int *p) { *p = twice(WIDTH); }\n',
        tools="#include <iostream>\n#define WIDTH 4\ninline void show() { std::cout << 1; }\n"
        "__device__ inline int twice(int a) {\n  return 2 * a;\n}\n",
    )
    assert [kernel.name for kernel in result.kernels] == ["k"]
    assert set(result.files.values()) <= {tmp_path / "kernel.cu", tmp_path / "tools.h"}


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("copy", ["tools::copy"]),
        ("tools::copy", ["tools::copy"]),
        ("reduce", ["reduce<float, 64>"]),
        ("reduce<float,64>", ["reduce<float, 64>"]),
        ("reduce< double , 32u >", ["reduce<double, 32>"]),
        ("_Z3redIfEv", None),
        ("copi", None),
    ],
)
def test_a_kernel_is_selected_by_any_of_its_names(read: Read, name: str, chosen: list[str] | None) -> None:
    if chosen is None:
        with pytest.raises(KernelError, match=f"has no kernel `{name}`"):
            read(FILE, kernel=name)
    else:
        assert [kernel.name for kernel in read(FILE, kernel=name).kernels] == chosen


def test_a_template_without_instance_is_reported_and_not_guessed(read: Read) -> None:
    template = "template <class T, int B, int C = 8> __global__ void lone(T *p) { *p = B + C; }\n"
    (note,) = read(f"{template}__global__ void k(int *p) {{ *p = 1; }}\n").notes
    assert (note.kind, note.line and note.line.line) == ("template", 1)
    assert "--kernel 'lone<float, 32, 8>'" in note.text
    with pytest.raises(KernelError, match="has only kernel templates"):
        read(template)
    assert [kernel.name for kernel in read(template, kernel="lone<int, 4>").kernels] == ["lone<int, 4, 8>"]


def test_macros_of_the_command_line_apply(read: Read) -> None:
    text = "#ifdef FAST\n__global__ void fast(int *p) { *p = N; }\n#endif\n"
    assert [kernel.name for kernel in read(text, define=["FAST", "N=3"]).kernels] == ["fast"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__global__ void k(int *p) {\n  *p = undefined_name;\n}\n", r"kernel\.cu:2: identifier \"undefined_name\""),
        (
            '#include "nothing.h"\n__global__ void k(int *p) { *p = NONE; }\n',
            r"kernel\.cu:1: there is no header nothing\.h",
        ),
        ("int host;\n__global__ void k(int *p) { *p = host; }\n", r"kernel\.cu:2: identifier \"host\" is undefined"),
        ("int f() { return 1; }\n__global__ void k(int *p) { *p = f(); }\n", r"kernel\.cu:2: identifier \"f\""),
        ("__global__ void k(int *p) {\n  __requires(p != 0);\n}\n", r"__requires belongs to the dialect"),
        ("#include <vector>\n__global__ void k(std::vector<int> v) { }\n", r"kernel\.cu:2: "),
        (
            "__global__ void outer(int *p) {\n  if (*p > 0)\n    outer<<<1, 32>>>(p);\n}\n",
            r"kernel\.cu:3: device code launches a kernel",
        ),
        (
            "__global__ void k(int *p) {\n  int i = FIXME // an index\nint main() {\n  k<<<1, 32>>>(p);\n}\n",
            r"kernel\.cu:2: identifier \"FIXME\"",
        ),
        ("__global__ void k(int *p) {\n", r"at the end of the file: expected a"),
    ],
)
def test_a_file_that_does_not_compile_names_the_line(read: Read, text: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        read(text)


def test_a_type_that_needs_the_host_is_removed_unless_device_code_uses_it(read: Read) -> None:
    types = "#include <string>\nstruct Named { std::string name; };\n"
    assert read(f"{types}__global__ void k(int *p) {{ *p = 1; }}\n").kernels
    with pytest.raises(CompileError, match=r"kernel\.cu:"):
        read(f"{types}__global__ void k(Named *p) {{ p->name = 1; }}\n")


@pytest.mark.archs
def test_a_specialization_that_needs_the_host_is_never_removed(read: Read) -> None:
    text = """#include <string>
template <class T> struct Width { static const int value = 1; };
template <> struct Width<int> { std::wstring_convert<int> s; static const int value = 2; };
__global__ void k(int *p) { *p = Width<int>::value; }
"""
    with pytest.raises(CompileError, match=r"kernel\.cu:3"):
        read(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"int x\0y;", "is no text"),
        ("int main() { }".encode("utf-16"), "is no text"),
        (b"int main() { return 0; }\n", "has no kernel"),
        (b"\xff\xfe\xfd\x80", "has no kernel|does not compile"),
    ],
)
def test_a_file_without_kernels_is_refused_in_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "kernel.cu"
    path.write_bytes(content)
    with pytest.raises(ShflbenchError, match=message) as error:
        read_cuda(path, Compilers(kernels.tools()), CompileOptions())
    assert "\n" not in error.value.message


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_cuda(tmp_path, Compilers(), CompileOptions())
    with pytest.raises(InputError, match="cannot be read"):
        read_ptx(tmp_path / "none.ptx")


def test_a_folder_of_headers_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text("__global__ void k() { }")
    for folder, why in ((tmp_path / "none", "does not exist"), (path, "is no folder")):
        with pytest.raises(UsageError, match=f"-I: the folder {folder} {why}"):
            read_cuda(path, Compilers(), CompileOptions(include=(folder,)))


def test_without_any_compiler_the_error_says_so(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text("__global__ void k() { }")
    with pytest.raises(CompilerError, match="there is no CUDA compiler"):
        read_cuda(path, Compilers(), CompileOptions())


def test_a_store_that_the_compiler_removed_is_reported_with_its_line(read: Read) -> None:
    result = read(
        "__global__ void k(float *p, int n) {\n  __shared__ int s[64];\n  int local[2] = {n, 1};\n"
        "  s[0] = threadIdx.x;\n  p[n] = 1;\n  p[n] = local[n & 1];\n}\n"
    )
    assert [(note.kind, note.line and note.line.line) for note in result.notes] == [
        ("removed-store", 4),
        ("removed-store", 5),
    ]
    assert result.ptx.count("st.shared") == 0
    assert result.unoptimized_ptx.count(".entry") == 1


def test_stores_that_stay_or_become_one_vector_are_not_reported(read: Read) -> None:
    result = read(
        "__global__ void k(float4 *p, int n) {\n  __shared__ int s[64];\n  int x[4];\n  for (int i = 0; i < 4; i++)\n"
        "    x[i] = n + i;\n  s[threadIdx.x] = n;\n  __syncthreads();\n  p[n].x = s[n];\n  p[n].y = x[n & 3];\n"
        "  p[n].z = 1;\n  p[n].w = 2;\n}\n"
    )
    assert not result.notes
    assert not result.unoptimized_ptx


def test_equal_stores_in_two_branches_that_the_compiler_joins_are_not_reported(read: Read) -> None:
    result = read(
        "__global__ void k(int *p, int *q) {\n  int t = threadIdx.x;\n  if (q[t]) {\n    __syncthreads();\n"
        "    p[t] = q[t + 16];\n  } else {\n    __syncthreads();\n    p[t] = q[t + 16];\n  }\n}\n"
    )
    assert len(re.findall(r"\bst\.global", result.ptx)) == 1
    assert not result.notes


def test_what_nvcc_includes_before_each_file_is_known_to_nvrtc(read: Read) -> None:
    text = "__global__ void k(float *p, int *q) { *p = INFINITY; *q = INT_MAX; }"
    assert [kernel.name for kernel in read(text).kernels] == ["k"]


def test_a_header_of_cublas_brings_the_types_of_device_code(read: Read) -> None:
    text = "#include <cublas_v2.h>\n__global__ void k(__nv_bfloat16 *p, __half *q) { *p = 1.0f; *q = 2; }"
    assert [kernel.name for kernel in read(text).kernels] == ["k"]


@pytest.mark.parametrize(("first", "last", "inside"), [("", "", ""), ("\nnamespace inner {\n", "}", "inner::")])
def test_a_kernel_in_a_namespace_that_a_macro_opens_has_named_parameters(
    read: Read, first: str, last: str, inside: str
) -> None:
    result = read(
        f"#define BEGIN namespace outer {{ inline namespace v1 {{\n#define END }} }}\nBEGIN\n{first}"
        f"__global__ void copy(const float *from, float *to) {{ *to = *from; }}\n{last}\nEND\n"
    )
    (kernel,) = result.kernels
    assert kernel.name == f"outer::v1::{inside}copy"
    assert [item.name for item in kernel.parameters] == ["from", "to"]

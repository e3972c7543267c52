"""Files of which only the device code compiles: headers that are missing, and host code that needs them."""

from pathlib import Path

import pytest

from shflbench.checker import FileOptions, KernelVerdict, check_file
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError
from tests import kernels
from tests.cuda_sources.conftest import Parse, Read

KERNEL = """__global__ void reverse(float *out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
"""
EXTENSION = f"""#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
template <typename T> __global__ void scale(T *out, T by) {{ out[threadIdx.x] *= by; }}
{KERNEL}
#define BINDING(name, type) \\
  void name##_launch(torch::Tensor x) {{ \\
    name<<<1, 64>>>(reinterpret_cast<type *>(x.data_ptr())); \\
  }}
BINDING(reverse, float)
void scaled(at::Tensor x) {{
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] {{
    scale<scalar_t><<<1, 64>>>(x.data_ptr<scalar_t>(), 2);
  }});
}}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{
  m.def("reverse", &reverse_launch);
}}
"""


def left_out(read: Read, text: str) -> list[str]:
    file = read(text)
    assert [kernel.name for kernel in file.kernels] == ["reverse"]
    return [note.text for note in file.notes]


def test_a_missing_header_that_only_host_code_needs_is_left_out_and_named(read: Read) -> None:
    text = f'#include "timer.h"\n#include <plot/plot.hpp>\n{KERNEL}int main() {{ plot::line(timer()); }}\n'
    expected = "compiled without timer.h and plot/plot.hpp, which are missing: the device code compiles without"
    assert left_out(read, text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        KERNEL.replace("63 -", "LAST -"),
        KERNEL.replace("  __syncthreads();", "#ifdef FAST\n  __syncthreads();\n#endif"),
        "#ifndef LAST\n#define LAST 63\n#endif\n" + KERNEL.replace("63 -", "LAST -"),
    ],
    ids=["name", "condition", "default"],
)
def test_a_missing_header_that_may_decide_on_device_code_is_an_error(read: Read, text: str) -> None:
    with pytest.raises(CompileError, match=r"kernel\.cu:1: there is no header timer\.h"):
        read(f'#include "timer.h"\n{text}')


@pytest.mark.parametrize("include", ['"timer.h"  // <old/timer.h>', "<timer/config.h>"])
def test_a_header_of_the_program_or_with_settings_may_define_any_macro(read: Read, include: str) -> None:
    text = KERNEL.replace("  __syncthreads();", "#ifdef FAST\n  __syncthreads();\n#endif")
    with pytest.raises(CompileError, match="there is no header timer"):
        read(f"#include {include}\n{text}")


def test_conditions_that_the_file_or_the_compiler_decide_do_not_need_the_header(read: Read) -> None:
    text = f'#define FAST 1\n#include "timer.h"\n#if FAST && __CUDA_ARCH__ > 100\n#endif\n{KERNEL}'
    assert left_out(read, text)


def test_conditions_on_macros_of_other_names_do_not_need_the_header_of_a_package(read: Read) -> None:
    text = f"#include <dmlc/io.h>\n#ifdef {{}}_FAST\n#endif\n{KERNEL}"
    assert left_out(read, text.replace("{}", "USE"))
    with pytest.raises(CompileError, match=r"kernel\.cu:1: there is no header dmlc/io\.h"):
        read(text.replace("{}", "DMLC"))


@pytest.mark.parametrize(
    ("header", "use"),
    [
        ("#include <plan.h>", "int16_t"),  # nvcc knows integers of fixed size without a header
        ('#include <plan.h>\n#include "cub/device/device_scan.cuh"', "short"),
    ],
)
def test_what_only_host_code_needs_of_headers_is_left_out(read: Read, header: str, use: str) -> None:
    kernel = f"__global__ void reverse({use} *out) {{ out[threadIdx.x] = 1; }}\n"
    file = read(f"{header}\n{kernel}int main() {{ plan(); }}\n")
    assert [item.name for item in file.kernels] == ["reverse"]


def test_an_enumeration_of_a_namespace_is_an_argument_of_an_instance(read: Read) -> None:
    kernel = "template <Mode mode> __global__ void reverse(int *out) { out[threadIdx.x] = int(mode); }\n"
    host = "void run(int *x, plan p) { reverse<Mode::fast><<<1, 32>>>(x); }\n"
    text = f"#include <plan.h>\nnamespace a {{ enum class Mode {{ slow, fast }};\n{kernel}{host}}}\n"
    assert [item.name for item in read(text).kernels] == ["a::reverse<(a::Mode)1>"]


def test_a_pytorch_extension_is_compiled_without_pytorch(read: Read) -> None:
    assert [kernel.name for kernel in read(EXTENSION).kernels] == ["scale<float>", "reverse"]
    assert [kernel.name for kernel in read(EXTENSION, "scale<double>").kernels] == ["scale<double>"]


@pytest.mark.parametrize("barrier", ["  __syncthreads();\n", ""])
def test_a_kernel_of_a_pytorch_extension_is_judged(tmp_path: Path, barrier: str) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(EXTENSION.replace("  __syncthreads();\n", barrier))
    report = check_file(path, FileOptions(compilers=Compilers(kernels.tools())))
    verdicts = {kernel.name: kernel.verdict for kernel in report.kernels}
    assert verdicts["reverse"] is (KernelVerdict.CLEAN if barrier else KernelVerdict.BROKEN)


def test_the_grammar_reads_the_file_beside_macros_that_define_host_functions(parse: Parse) -> None:
    assert not parse(EXTENSION).unit.main.tree.root_node.has_error


CLASS = """#include <helper_timer.h>
class Watched {
  StopWatchInterface *timer;
  static void CUDART_CB Done(cudaStream_t stream, void *data);
 public:
  int count() const { return 3; }
};
"""


def test_a_class_of_the_host_that_the_grammar_does_not_read_is_removed_where_it_is_rejected(read: Read) -> None:
    assert left_out(read, f"{CLASS}void Watched::CUDART_CB Done(cudaStream_t, void *) {{ stop(0); }}\n{KERNEL}") == []
    with pytest.raises(CompileError, match='"Watched" is undefined'):
        read(f"{CLASS}__global__ void k(int *out) {{ Watched w; out[0] = w.count(); }}\n")


@pytest.mark.parametrize(
    ("header", "member"),
    [
        ("cusparse.h", "cusparseMatDescr_t matrix; cusparseIndexBase_t base;"),
        ("cusolverDn.h", "cusolverDnHandle_t solver; cusolverStatus_t status;"),
        ("cublasLt.h", "cublasLtMatmulDesc_t product; cublasComputeType_t type;"),
        ("cublas.h", "cublasGemmAlgo_t algorithm = CUBLAS_GEMM_DEFAULT; cublasOperation_t operation = CUBLAS_OP_N;"),
        ("curand.h", "curandGenerator_t generator;"),
        ("cudnn.h", "cudnnTensorDescriptor_t tensor;"),
        ("nccl.h", "ncclComm_t all; ncclUniqueId id;"),
    ],
)
def test_a_class_of_device_code_may_have_types_of_a_library_of_the_host(read: Read, header: str, member: str) -> None:
    text = f"""#include <{header}>
struct View {{ {member} float *data; int width; __device__ float *row(int i) {{ return data + i * width; }} }};
"""
    file = read(text + KERNEL.replace("float *out", "View view").replace("out[", "view.row(0)["))
    assert [item.name for item in file.kernels] == ["reverse"]
    assert not file.notes


@pytest.mark.parametrize(
    "text", ["template <> struct Size<float> {{ Unknown u; {} }};", "struct Size2 {{ Unknown u; {} }};"]
)
def test_what_device_code_may_use_is_never_removed(read: Read, text: str) -> None:
    general = "template <typename T> struct Size { static const int bytes = 1; };\n"
    with pytest.raises(CompileError, match='"Unknown" is undefined'):
        read(f"{general}{text.format('__device__ int CUDART_CB f();')}\n{KERNEL}")


def test_random_numbers_of_a_missing_package_have_others_in_their_place(read: Read) -> None:
    text = """#include <curand_kernel.h>
__global__ void draw(curandState *states, float *out) {
  curandState state = states[threadIdx.x];
  if (out[0] < 0) curand_init(1234, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand_uniform(&state) + curand_normal(&state) + curand_uniform4(&state).w;
  states[threadIdx.x] = state;
}
"""
    file = read(text)
    assert [item.name for item in file.kernels] == ["draw"]
    assert [note.text for note in file.notes] == [
        "curand_kernel.h is not installed: other random numbers stand for those of cuRAND"
    ]


def test_a_launched_template_without_a_known_instance_is_not_checked(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    host = "void run(float *p) { scale<unknown()><<<1, 64>>>(p); }\n"
    path.write_text(f"{KERNEL}template <int BY> __global__ void scale(float *p) {{ p[0] *= BY; }}\n{host}")
    report = check_file(path, FileOptions(compilers=Compilers(kernels.tools())))
    verdicts = {kernel.name: kernel.verdict for kernel in report.kernels}
    assert verdicts["reverse"] is KernelVerdict.CLEAN
    assert verdicts["scale"] is KernelVerdict.NOT_CHECKED


def test_each_file_includes_the_header_beside_it(tmp_path: Path) -> None:
    for folder, value in (("first", 1), ("second", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "utils.h").write_text(f"#pragma once\n#define {folder.upper()} {value}\n")
        (tmp_path / folder / f"{folder}.h").write_text('#include "utils.h"\n')
    path = tmp_path / "kernel.cu"
    names = ("first/first.h", "second/second.h", "second/utils.h", "first/../first/utils.h")
    lines = "".join(f'#include "{name}"\n' for name in names)
    path.write_text(f"{lines}__global__ void k(int *p) {{ p[threadIdx.x] = FIRST + SECOND; }}\n")
    report = check_file(path, FileOptions(compilers=Compilers(kernels.tools())))
    assert [kernel.verdict for kernel in report.kernels] == [KernelVerdict.CLEAN]


LAUNCHERS = """template <typename T> __global__ void used(T *x) { x[threadIdx.x] = 1; }
template <typename T> __global__ void unused(T *x) { x[threadIdx.x] = 2; }
template <typename T> struct Table {
    void fill(T *x) { used<T><<<1, 32>>>(x); }
    void clear(T *x) { unused<T><<<1, 32>>>(x); }
};
"""


@pytest.mark.parametrize(("calls", "verdict"), [("t.fill(x);", None), ("t.fill(x); t.clear(x);", "not checked")])
def test_a_kernel_that_only_an_uncalled_member_of_a_header_launches_is_a_note(
    tmp_path: Path, calls: str, verdict: str | None
) -> None:
    (tmp_path / "table.h").write_text(LAUNCHERS)
    path = tmp_path / "kernel.cu"
    host = f"void run(Table<int> &t, int *x) {{ {calls} }}\n"
    path.write_text(f'#include "table.h"\n__global__ void own(int *x) {{ *x = 1; }}\n{host}')
    report = check_file(path, FileOptions(compilers=Compilers(kernels.tools())))
    verdicts = {kernel.name: str(kernel.verdict) for kernel in report.kernels}
    assert verdicts["used"] == "not checked"  # its instance is not known
    assert verdicts.get("unused") == verdict


NEEDS = "template <class T> struct Needs { static constexpr bool barrier = true; };\n"
DECIDED = KERNEL.replace("  __syncthreads();", "  if (Needs<int>::barrier) __syncthreads();")


@pytest.mark.parametrize(
    "before",
    [NEEDS, "constexpr bool needs(long) { return true; }\n", "__device__ bool needs(long) { return true; }\n"],
    ids=["specialization", "overload", "overload of device code"],
)
def test_a_missing_header_behind_what_it_may_specialize_or_overload_is_an_error(read: Read, before: str) -> None:
    text = DECIDED if before == NEEDS else DECIDED.replace("Needs<int>::barrier", "needs(1)")
    with pytest.raises(CompileError, match=r"kernel\.cu:2: there is no header timer\.h"):
        read(f'{before}#include "timer.h"\n{text}')
    assert left_out(read, f'#include "timer.h"\n{before}{text}')
    assert left_out(read, f"{before}#include <plot/plot.hpp>\n{text}")
    assert left_out(read, f'{before}#include "timer.h"\n{KERNEL}')


HASH = """template <class T> struct Hash { long operator()(T x) const { return x; } };
class Table { long find(int x) { return Hash<int>()(x); } };
"""


def test_a_missing_header_behind_a_template_that_only_classes_of_the_host_use_is_left_out(read: Read) -> None:
    assert left_out(read, HASH.replace("class Table", '#include "timer.h"\nclass Table') + KERNEL)
    used = KERNEL.replace("63 -", "Table::width -")
    table = HASH.replace("long find", "public: static constexpr int width = 63; long find")
    with pytest.raises(CompileError, match=r"kernel\.cu:2: there is no header timer\.h"):
        read(table.replace("class Table", '#include "timer.h"\nclass Table') + used)


def test_a_template_of_an_instance_may_be_specialized_by_a_missing_header_behind_it(read: Read) -> None:
    text = """template <class T> struct Last { static constexpr int value = 63; };
#include "timer.h"
template <class L> __global__ void take(int *out) { out[threadIdx.x] = L::value; }
void run(int *p) { take<Last<int>><<<1, 64>>>(p); }
"""
    with pytest.raises(CompileError, match=r"kernel\.cu:2: there is no header timer\.h"):
        read(text)


def test_a_template_of_a_header_may_be_specialized_by_a_missing_one_behind_it(read: Read, tmp_path: Path) -> None:
    (tmp_path / "needs.h").write_text(NEEDS)
    with pytest.raises(CompileError, match=r"kernel\.cu:2: there is no header timer\.h"):
        read(f'#include "needs.h"\n#include "timer.h"\n{DECIDED}')


@pytest.mark.parametrize("name", ["_FAST", "__FAST", "_Fast"])
def test_a_macro_that_begins_with_an_underscore_may_be_of_a_missing_header(read: Read, name: str) -> None:
    text = KERNEL.replace("  __syncthreads();", f"#ifndef {name}\n  __syncthreads();\n#endif")
    with pytest.raises(CompileError, match=r"there is no header timer\.h"):
        read(f'#include "timer.h"\n{text}')


BODY = "{ __shared__ int s[64]; s[threadIdx.x] = 1; out[threadIdx.x] = s[63 - threadIdx.x]; }"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("void launch(int *p) { hidden<<<1, 64>>>(p); }", 9, "no file defines `hidden`, which is launched here"),
        (
            "MAKE(hidden)\nvoid f(int *p) { hidden<<<1, 64>>>(p); }",
            10,
            "no file defines `hidden`, which is launched here",
        ),
        (f"KERNEL void hidden(int *out) {BODY}", 9, "`hidden` uses `__shared__`, but nothing marks it as a kernel"),
    ],
)
def test_a_kernel_that_only_a_missing_header_defines_or_marks_is_not_compiled(
    read: Read, tmp_path: Path, text: str, line: int, reason: str
) -> None:
    file = read(f'#include "timer.h"\n{KERNEL}\n{text}\n')
    assert [kernel.name for kernel in file.kernels] == ["reverse"]
    sentence = f"{tmp_path}/kernel.cu:{line}: {reason}: there is no header timer.h; pass its folder with -I"
    assert [(item.name, item.sentence) for item in file.rejected] == [("hidden", sentence)]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void other(int *p);\nvoid f(int *p) { other<<<1, 64>>>(p); }",
        "template <class F> void f(F kernel, int *p) { kernel<<<1, 64>>>(p); }",
        "void f(int *p) { void (*kernel)(int *) = nullptr; kernel<<<1, 64>>>(p); }",
        "void emulate(float *out) { dim3 blockIdx; out[blockIdx.x] = 1; }",
    ],
    ids=["declared", "parameter", "pointer", "emulation"],
)
def test_what_the_file_declares_is_no_kernel_of_a_missing_header(read: Read, text: str) -> None:
    assert read(f'#include "timer.h"\n{KERNEL}\n{text}\n').rejected == ()


def test_a_host_function_that_device_code_names_without_a_call_stays_declared(read: Read) -> None:
    """Without it, the second template would fit, with a barrier that the kernel does not have."""
    text = """struct Tag { };
void needs_none(Tag) { throw 1; }
template <class T> constexpr auto needs(int) -> decltype(needs_none(T()), false) { return false; }
template <class T> constexpr bool needs(long) { return true; }
""" + KERNEL.replace("  __syncthreads();", "  if (needs<Tag>(0)) __syncthreads();")
    assert "bar.sync" in read(KERNEL).ptx
    assert "bar.sync" not in read(f'#include "timer.h"\n{text}').ptx


def test_a_missing_header_of_an_empty_submodule_names_the_submodule(read: Read, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitmodules").write_text('[submodule "glm"]\n\tpath = third_party/glm\n\turl = https://a.b/glm.git\n')
    remedy = r"the submodule third_party/glm is not checked out; run `git submodule update --init third_party/glm`"
    text = f"#include <glm/glm.hpp>\n{KERNEL.replace('63 -', 'glm::last() -')}"
    with pytest.raises(CompileError, match=rf"there is no header glm/glm\.hpp: {remedy}"):
        read(text)
    (tmp_path / "third_party/glm").mkdir(parents=True)
    (tmp_path / "third_party/glm/README.md").write_text("GLM")
    with pytest.raises(CompileError, match="pass its folder with -I"):
        read(text)

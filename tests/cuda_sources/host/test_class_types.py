"""Types that classes and namespaces of the host code name, and functions that their members point to."""

from dataclasses import replace

import pytest

from shflbench.cuda_sources.kernel_file import KernelFile
from tests.cuda_sources.conftest import Parse, Read

BYTES = 400
PLUS = """
namespace ops {
using real = float;
template <class T> struct Plus {
  using value_type = T;
  static constexpr int Block = 64;
  __host__ __device__ constexpr T operator()(T a, T b) const { return a + b; }
};
}
template <class Op, int Block, class T = typename Op::value_type>
__global__ void scan(const T *in, T *out, int n, Op op) {
  if (int i = Block * blockIdx.x; i < n) out[i] = op(in[i], 1);
}
template <class T> __global__ void scale(T *out, int n) { out[n] = 2; }
"""
RUN = """
template <class Op> struct Run {
  using T = typename Op::value_type;
  using Kernel = void (*)(const T *, T *, int, Op);
  static constexpr int Block = 32;
  int n; T *in, *out; Op op{};
  Run(int n) : n(n) { cudaMalloc(&in, n * sizeof(T)); cudaMalloc(&out, n * sizeof(T)); }
  void launch(Kernel k) { k<<<n / 32, Block>>>(in, out, n, op); }
};
"""


def launches(file: KernelFile) -> list[tuple[str, list[int | None]]]:
    """Return each kernel with the bytes of the buffers of its only launch."""
    found = []
    for item in file.kernels:
        (launch,) = item.host_launches
        found.append((item.name, [one.buffer.size for one in launch.arguments if one.buffer is not None]))
    return found


def only(file: KernelFile, name: str) -> KernelFile:
    """Return a file with its kernels of one name."""
    return replace(file, kernels=tuple(item for item in file.kernels if item.name.startswith(f"{name}<")))


@pytest.mark.parametrize(
    "launch",
    [
        "using namespace ops; scale<real><<<1, 32>>>(p, 100);",
        "using ops::real; scale<real><<<1, 32>>>(p, 100);",
        "scale<ops::real><<<1, 32>>>(p, 100);",
        "using namespace ops; auto f = [&] { scale<real><<<1, 32>>>(p, 100); }; f();",
    ],
)
def test_a_template_argument_may_be_the_name_of_a_type_in_a_namespace(read: Read, launch: str) -> None:
    text = f"{PLUS}int main() {{ float *p; cudaMalloc(&p, 100 * sizeof(float)); {launch} }}\n"
    assert ("scale<float>", [BYTES]) in launches(only(read(text), "scale"))


def test_a_type_of_two_namespaces_is_left_to_the_compiler(read: Read) -> None:
    text = (
        f"{PLUS}namespace other {{ using real = double; }}\nusing real = float;\n"
        "int main() { float *p; cudaMalloc(&p, 400); scale<real><<<1, 32>>>(p, 100); }\n"
    )
    assert [item.name for item in only(read(text), "scale").kernels] == ["scale<float>"]


@pytest.mark.parametrize(
    "use",
    [
        "const auto k = scan<Op, Run<Op>::Block>; run.launch(k);",
        "run.launch(scan<ops::Plus<float>, 32, float>);",
        "Run<Op>::Kernel k = scan<Op, 32>; run.launch(k);",
    ],
)
def test_a_pointer_to_a_kernel_passes_through_a_member_of_a_class_template(read: Read, use: str) -> None:
    text = f"{PLUS}{RUN}int main() {{ using Op = ops::Plus<float>; Run<Op> run(100); {use} }}\n"
    (kernel,) = launches(only(read(text), "scan"))
    assert kernel == ("scan<ops::Plus<float>, 32, float>", [BYTES, BYTES])


def test_a_constant_of_a_class_that_depends_on_its_template_is_not_taken_from_elsewhere(parse: Parse) -> None:
    text = (
        "template <class T> struct Of { static constexpr int N = sizeof(T); };\n"
        "template <int N> __global__ void f(int *p) { *p = N; }\n"
        "int main() { f<Of<double>::N><<<1, 32>>>(nullptr); }\n"
    )
    assert parse(text).instances.get("f", []) == []


def test_a_program_calls_an_object_where_it_makes_it(read: Read) -> None:
    text = (
        f"{PLUS}int main() {{ int n = 60; n = ops::Plus<int>{{}}(n, 40); float *p; cudaMalloc(&p, 4 * n);\n"
        "scale<float><<<1, 32>>>(p, n); }\n"
    )
    assert ("scale<float>", [BYTES]) in launches(only(read(text), "scale"))


def test_members_that_point_to_functions_launch_what_these_launch(read: Read) -> None:
    text = (
        f"{PLUS}struct Case {{ const char *name; void (*launch)(float *, int); double us = 0; }};\n"
        "static void first(float *p, int n) { scale<float><<<1, 32>>>(p, n); }\n"
        "template <class T> T *on_device(const std::vector<T> &v) {\n"
        "  T *p; cudaMalloc(&p, v.size() * sizeof(T)); return p; }\n"
        'int main() { Case cases[] = {{"first", first}}; float *p = on_device(std::vector<float>(100));\n'
        "for (Case &one : cases) one.launch(p, 100); }\n"
    )
    assert ("scale<float>", [BYTES]) in launches(only(read(text), "scale"))

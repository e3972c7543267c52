"""An instance that a message names has an argument of the right kind for each parameter."""

import pytest

from shflbench.cuda_sources.example_instances import example
from tests.cuda_sources.conftest import Parse, Read

FUNCTORS = """
enum Mode { UP, DOWN };
enum class Order : int { FIRST };
struct Empty {};
struct Max { __device__ float operator()(float a, float b) const { return a > b ? a : b; } };
"""
SUM = "template <class T> struct Sum { __device__ T operator()(T a, T b) const { return a + b; } };"


@pytest.mark.parametrize(
    ("parameters", "body", "arguments"),
    [
        ("class T", "T *y", "float"),
        ("typename T, int B", "T *y", "float, 32"),
        ("class T, bool Flag", "T *y", "float, false"),
        ("unsigned B, std::size_t N, const int M, uint32_t K", "int *y", "32, 32, 32, 32"),
        ("Mode M, Order O", "int *y", "Mode(0), Order(0)"),
        ("class T, T V", "T *y", "int, 32"),
        ("class T, int B = 128", "T *y", "float, 128"),
        ("class T, class Op", "T *y) { *y = Op()(y[0], y[1]); } void g(", "float, Max"),
        ("class T, class Op", "T *y, Op op) { *y = op(y[0], y[1]); } void g(", "float, Max"),
    ],
)
def test_each_kind_of_parameter_has_an_argument(parse: Parse, parameters: str, body: str, arguments: str) -> None:
    source = parse(f"{FUNCTORS}template <{parameters}> __global__ void k({body}) {{}}")
    assert example(source.definitions[0], source) == f"k<{arguments}>"


def test_a_class_template_with_a_call_operator_gets_an_argument(parse: Parse) -> None:
    source = parse(f"{SUM} template <class T, class Op> __global__ void k(T *y) {{ *y = Op{{}}(y[0], y[1]); }}")
    assert example(source.definitions[0], source) == "k<float, Sum<float>>"


def test_each_parameter_of_a_class_template_gets_an_argument(parse: Parse) -> None:
    functor = SUM.replace("<class T>", "<typename T, bool Flag, int N>")
    source = parse(f"{functor} template <class T, class Op> __global__ void k(T *y) {{ *y = Op{{}}(y[0], y[1]); }}")
    assert example(source.definitions[0], source) == "k<float, Sum<float, false, 32>>"


def test_the_instance_compiles(parse: Parse, read: Read) -> None:
    text = f"{FUNCTORS}template <class T, class Op, unsigned B, bool Flag, Mode M> __global__ void k(T *y) {{\n"
    text += "    __shared__ T part[B];\n    part[threadIdx.x] = Op()(y[0], y[1]);\n"
    text += "    y[threadIdx.x] = Flag ? part[0] : part[M];\n}\n"
    source = parse(text)
    (kernel,) = read(text, kernel=example(source.definitions[0], source)).kernels
    assert kernel.name.startswith("k<float, Max, ")

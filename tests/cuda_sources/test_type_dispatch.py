"""Dispatches on types and constants: macros of PyTorch and of files whose arguments are statements."""

import pytest

from shflbench.cuda_sources.torch_types import torch_type
from tests.cuda_sources.conftest import Parse, Read

KERNEL = """#include <torch/extension.h>
template <int WIDTH, typename T, typename A>
__global__ void scale(T *out, A by, int64_t n) {
  if (threadIdx.x * WIDTH < n) out[threadIdx.x * WIDTH] = T(A(out[0]) * by);
}
"""
HOME_MADE = """#define DISPATCH_FLOAT_AND_HALF(TYPE, LEVEL, NAME, ...)                \\
  switch (TYPE) {                                                     \\
    case at::ScalarType::Half: {                                      \\
      using scalar_t_##LEVEL = at::Half;                              \\
      __VA_ARGS__;                                                    \\
      break;                                                          \\
    }                                                                 \\
    case at::ScalarType::Float: {                                     \\
      using scalar_t_##LEVEL = float;                                 \\
      __VA_ARGS__;                                                    \\
      break;                                                          \\
    }                                                                 \\
    default:                                                          \\
      AT_ERROR(#NAME, " not implemented for '", toString(TYPE), "'"); \\
  }
"""
CASES = """#define MY_CASES(...) \\
  AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__) AT_DISPATCH_CASE(at::ScalarType::BFloat16, __VA_ARGS__)
#define MY_DISPATCH(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, MY_CASES(__VA_ARGS__))
"""
BOOLEAN = """#define BOOL_SWITCH(CONDITION, NAME, ...) \\
  [&] {                                                          \
    if (CONDITION) { constexpr int NAME = 2; return __VA_ARGS__(); } \
    else { constexpr int NAME = 1; return __VA_ARGS__(); }           \
  }()
"""
LAUNCH = "scale<4, scalar_t, float><<<2, 64>>>(x.data_ptr<scalar_t>(), 2, x.numel());"


@pytest.mark.parametrize(
    ("macros", "statements", "instances"),
    [
        (HOME_MADE, f'DISPATCH_FLOAT_AND_HALF(x.scalar_type(), 0, "scale", {LAUNCH.replace("r_t", "r_t_0")})',
         ["scale<4, float, float>"]),
        (HOME_MADE, ('DISPATCH_FLOAT_AND_HALF(x.type(), 0, "a", DISPATCH_FLOAT_AND_HALF(y.scalar_type(), 1, "b", '
         "scale<4, scalar_t_0, scalar_t_1><<<2, 64>>>(x.data_ptr<scalar_t_0>(), 2, n);))"), ["scale<4, float, float>"]),
        (CASES, f'MY_DISPATCH(x.scalar_type(), "scale", [&] {{ {LAUNCH} }});', ["scale<4, c10::Half, float>"]),
        ("", (f'AT_DISPATCH_SWITCH(x.scalar_type(), "scale", AT_DISPATCH_CASE_FLOATING_TYPES([&] {{ {LAUNCH} }})\n'
         f' AT_DISPATCH_CASE(at::kHalf, [&] {{ {LAUNCH.replace("4", "8", 1)} }}));'),
         ["scale<4, float, float>", "scale<8, c10::Half, float>"]),
        ("", f'AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), "scale", [&] {{ {LAUNCH} }});',
         ["scale<4, c10::Half, float>"]),
        ("", ('AT_DISPATCH_INDEX_TYPES(i.scalar_type(), "i", [&] { AT_DISPATCH_ALL_TYPES(x.scalar_type(), "x", [&] { '
         "scale<4, scalar_t, index_t><<<2, 64>>>(x.data_ptr<scalar_t>(), 2, n); }); });"), ["scale<4, float, int>"]),
        ("", ('AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "scale", [&]() -> void {\n'
         "using acc_t = at::acc_type<scalar_t, true>; constexpr int WIDTH = sizeof(uint4) / sizeof(scalar_t);\n"
         "scale<WIDTH, scalar_t, acc_t><<<2, 64>>>(x.data_ptr<scalar_t>(), 2, n); });"),
         ["scale<4, float, at::acc_type<float, true>>"]),
        (BOOLEAN, "BOOL_SWITCH(n > 4, WIDTH, [&] { scale<WIDTH, float, float><<<2, 64>>>(p, 2, n); });",
         ["scale<2, float, float>", "scale<1, float, float>"]),
    ],
)  # fmt: skip
def test_a_dispatch_launches_one_instance_per_code(
    parse: Parse, macros: str, statements: str, instances: list[str]
) -> None:
    host = f"void run(at::Tensor x, at::Tensor y, at::Tensor i, int64_t n) {{\n  {statements}\n}}\n"
    source = parse(f"{macros}{KERNEL}{host}")
    assert source.expressions() == instances
    assert {site.launch.block for site in source.launches} == {(64, 1, 1)}


def test_statements_in_a_dispatch_keep_their_lines(parse: Parse) -> None:
    text = (
        f'{HOME_MADE}{KERNEL}void run(at::Tensor x) {{\n  DISPATCH_FLOAT_AND_HALF(\n    x.scalar_type(), 0, "scale",\n'
    )
    text += f"    // a comment; with signs)\n    {LAUNCH.replace('r_t', 'r_t_0')})\n}}\n"
    (site,) = parse(text).launches
    assert text.splitlines()[site.launch.line.line - 1].strip().startswith("scale<4")


def test_a_switch_over_sizes_in_a_macro_keeps_all_cases(parse: Parse) -> None:
    macro = "#define BY_SIZE(N, ...) switch (N) { case 1: { constexpr int W = 1; __VA_ARGS__; break; } case 2: "
    macro += "{ constexpr int W = 2; __VA_ARGS__; break; } }\n"
    use = "void run(float *p, int n) { BY_SIZE(n, scale<W, float, float><<<2, 64>>>(p, 2, n);) }\n"
    assert sorted(parse(f"{macro}{KERNEL}{use}").expressions()) == ["scale<1, float, float>", "scale<2, float, float>"]


@pytest.mark.parametrize(
    ("parameter", "argument", "type_"),
    [
        ("T *out", "x.data_ptr<double>()", "double"),
        ("T *out", "reinterpret_cast<float *>(x.data_ptr())", "float"),
        ("T *out", "(int *)x.data_ptr()", "int"),
        ("at::PackedTensorAccessor64<T, 1, at::RestrictPtrTraits> out",
         "x.packed_accessor64<float, 1, at::RestrictPtrTraits>()", "float"),
    ],
)  # fmt: skip
def test_a_type_follows_from_what_an_argument_writes(read: Read, parameter: str, argument: str, type_: str) -> None:
    kernel = f"template <typename T> __global__ void clear({parameter}) {{ out[threadIdx.x] = 0; }}\n"
    use = f"void run(at::Tensor x) {{ clear<<<1, 64>>>({argument}); }}\n"
    (known,) = read(f"#include <torch/extension.h>\n{kernel}{use}").kernels
    assert known.name == f"clear<{type_}>"
    assert [launch.block for launch in known.host_launches] == [(64, 1, 1)]


def test_an_enumerator_is_an_argument_of_its_type(read: Read) -> None:
    text = "enum Mode { SUM, MAX };\ntemplate <Mode M> __global__ void k(int *p) { p[threadIdx.x] = M; }\n"
    (kernel,) = read(f"{text}int main() {{ int *p; cudaMalloc(&p, 256); k<MAX><<<1, 64>>>(p); }}\n").kernels
    assert kernel.host_launches


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("at::acc_type<float, true>", "float"),
        ("at::acc_type<float, false>", "double"),
        ("acc_type<c10::Half, true>", "float"),
        ("at::acc_type<int, true>", "int64_t"),
        ("at::acc_type<bool, true>", "bool"),
        ("typename at::AccumulateType<double, true>::type", "double"),
        ("at::opmath_type<at::BFloat16>", "float"),
        ("at::opmath_type<int>", "int"),
        ("at::acc_type<scalar_t, true>", None),
        ("std::vector<float>", None),
    ],
)
def test_types_that_pytorch_chooses(name: str, type_: str | None) -> None:
    assert torch_type(name) == type_


def test_device_code_uses_types_and_functions_of_pytorch(read: Read) -> None:
    text = """#include <ATen/ATen.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/DeviceUtils.cuh>
#include <c10/cuda/CUDAGuard.h>
C10_LAUNCH_BOUNDS_1(256)
__global__ void k(at::Half *h, c10::BFloat16 *b, at::PackedTensorAccessor32<float, 2> a, int n) {
  CUDA_KERNEL_LOOP(i, n) {
    at::opmath_type<at::Half> v = WARP_SHFL_DOWN(h[i], 1) * 2 + float(b[i]);
    h[i] = v > at::numeric_limits<at::Half>::lowest() ? at::Half(v) : h[i] * h[i];
    gpuAtomicAdd(&a[i % 2][0], static_cast<float>(v) + a.size(1));
    gpuAtomicAddNoReturn(b + i, b[i]);
  }
  CUDA_KERNEL_ASSERT(n > 0);
}
"""
    (kernel,) = read(text).kernels
    assert [(item.name, item.element) for item in kernel.parameters[:2]] == [("h", "f2"), ("b", "bfloat16")]


def test_files_have_their_own_functions_of_the_names_of_pytorch(read: Read) -> None:
    text = """#include <ATen/ATen.h>
template <typename T> __device__ T WARP_SHFL_XOR(T value, int lane, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lane, width);
}
__device__ void atomicAdd(at::Half *p, at::Half v) { *p = *p + v; }
__global__ void k(at::Half *p) { atomicAdd(p, p[1]); p[2] = WARP_SHFL_XOR(float(p[threadIdx.x]), 1); }
"""
    assert [item.name for item in read(text).kernels] == ["k"]


@pytest.mark.parametrize(
    ("launch", "line"),
    [
        (
            'AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "k", [&] { k<scalar_t><<<1, 2>>>(x.data_ptr<scalar_t>()); });',
            2,
        ),
        ("k<float><<<1, 2>>>(x.data_ptr<float>());", 0),
    ],
)
def test_a_note_says_that_other_types_of_a_dispatch_are_not_checked(read: Read, launch: str, line: int) -> None:
    text = f"template <class T> __global__ void k(T *p) {{ *p = 1; }}\nvoid f(at::Tensor x) {{ {launch} }}\n"
    notes = [note for note in read(text).notes if note.kind == "dispatch"]
    assert [note.line.line for note in notes if note.line is not None] == ([line] if line else [])
    assert not [note for note in read(text, "k<double>").notes if note.kind == "dispatch"]

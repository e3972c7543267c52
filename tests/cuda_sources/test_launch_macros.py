"""Launches in the text of macros: where they are used, with the numbers and the types that hold there."""

import pytest

from tests.cuda_sources.conftest import Parse, Read

KERNEL = "template <typename T> __global__ void fill(T *p, int n) { int i = threadIdx.x; if (i < n) p[i] = n; }\n"
BODY = "int main() { float *p; int n = 40; cudaMalloc(&p, 4 * n); USE }\n"


@pytest.mark.parametrize(
    ("macro", "use"),
    [
        ("#define RUN(T) fill<T><<<2, 64>>>((T *)p, n)\n", "RUN(float);"),
        ("#define RUN(T) { dim3 grid(2); fill<T><<<grid, 64>>>((T *)p, n); }\n", "RUN(float)"),
        ("#define GRID 2\n#define RUN(T, ...) fill<T><<<GRID, 64>>>(__VA_ARGS__)\n", "RUN(float, p, n);"),
        ("#define RUN(kind) fill##kind<float><<<2, 64>>>(p, n)\n", "RUN();"),
        ("#define ONE(T) fill<T><<<2, 64>>>(p, n)\n#define RUN(T) do { ONE(T); } while (0)\n", "RUN(float);"),
        ("#define RUN(T) fill<T><<<2, 64>>>(p, n)\n", "RUN(\n    float\n);"),
        ("#define RUN dim3 grid(2); fill<float><<<grid, 64>>>(p, n);\n", "RUN"),
    ],
)
def test_a_launch_in_a_macro_is_one_of_its_use(parse: Parse, macro: str, use: str) -> None:
    source = parse(macro + KERNEL + BODY.replace("USE", use))
    assert source.expressions() == ["fill<float>"]
    (site,) = source.launches
    assert (site.launch.grid, site.launch.block, site.launch.arguments[1].value) == ((2, 1, 1), (64, 1, 1), 40)
    assert site.launch.line.line == macro.count("\n") + 2


def test_a_macro_that_defines_a_function_gives_its_launches(parse: Parse) -> None:
    macro = (
        "#define BINDING(kind, T)                   \\\n"
        "  void run_##kind(T *x, int n) {           \\\n"
        "    fill<T><<<(n + 63) / 64, 64>>>(x, n);  \\\n"
        "  }\n"
    )
    source = parse(f"{macro}{KERNEL}BINDING(f32, float)\nBINDING(i32, int)\n")
    assert source.expressions() == ["fill<float>", "fill<int>"]
    assert {site.launch.block for site in source.launches} == {(64, 1, 1)}
    assert {site.launch.line.line for site in source.launches} == {6, 7}


@pytest.mark.parametrize(
    ("call", "instance"),
    [
        ('AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "fill", [&] { LAUNCH });', "fill<float>"),
        ('AT_DISPATCH_FLOATING_TYPES_AND_HALF(\n    x.type(), "fill", ([&] {\n LAUNCH\n}));', "fill<float>"),
        ('AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, x.type(), "fill", [&]() { LAUNCH });', "fill<float>"),
        ('return AT_DISPATCH_ALL_TYPES(x.scalar_type(), "fill", [&] { LAUNCH return x; });', "fill<float>"),
        ('AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), "fill", [&] { LAUNCH });', "fill<int>"),
    ],
)
def test_a_dispatch_on_types_of_pytorch_launches_with_one_of_them(read: Read, call: str, instance: str) -> None:
    launch = "fill<scalar_t><<<blocks, 64>>>(x.data_ptr<scalar_t>(), n);"
    text = (
        f"torch::Tensor run(torch::Tensor x) {{ int n = x.numel(); dim3 blocks(2); {call.replace('LAUNCH', launch)} }}"
    )
    (kernel,) = read(f"#include <torch/extension.h>\n{KERNEL}{text}\n").kernels
    assert kernel.name == instance
    assert [(host.grid, host.block) for host in kernel.host_launches] == [((2, 1, 1), (64, 1, 1))]


def test_a_lambda_expression_that_is_called_where_it_stands_launches(parse: Parse) -> None:
    use = "const int m = [&] { return n + 1; }(); ([&](int k) { fill<float><<<m, k>>>(p, n); })(96);"
    (site,) = parse(KERNEL + BODY.replace("USE", use)).launches
    assert (site.launch.grid, site.launch.block) == ((41, 1, 1), (96, 1, 1))


def test_types_of_libraries_in_host_code_do_not_matter(read: Read) -> None:
    use = "Context c; cublasSgemm(c.blas, CUBLAS_OP_N, p); fill<float><<<2, 64>>>(p, n);"
    result = read(
        "#include <cublas_v2.h>\n#include <cudnn.h>\n"
        "struct Context { cublasHandle_t blas; cudnnHandle_t dnn; Context() { cudnnCreate(&dnn); } };\n"
        "static cublasHandle_t handle;\n"
        'const char *name(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS ? "ok" : "?"; }\n'
        f"{KERNEL}{BODY.replace('USE', use)}"
    )
    assert [item.name for item in result.kernels] == ["fill<float>"]


def test_a_macro_that_calls_the_launcher_of_a_kernel_gives_its_instances(read: Read) -> None:
    text = """template <class T, int K> __global__ void scale(T *p) { p[threadIdx.x] *= K; }
template <class T, int K> void launch(T *p) { scale<T, K><<<1, 64>>>(p); }
#define CASE(LOW, HIGH) case LOW ... HIGH: launch<T, HIGH>(p); break
template <class T> void run(T *p, int k) { switch (k) { CASE(1, 4); CASE(5, 8); } }
#undef CASE
template void run<float>(float *, int);
"""
    assert [kernel.name for kernel in read(text).kernels] == ["scale<float, 4>", "scale<float, 8>"]


def test_a_macro_that_names_an_instance_of_a_kernel_names_it_where_it_is_used(parse: Parse) -> None:
    scale = "template <int N> __global__ void scale(float *p) { p[threadIdx.x] *= N; }\n"
    pick = (
        "#define CASE(n) if (count == n) return scale<n>\n"
        "void (*pick(int count))(float *) { CASE(1); CASE(4); return nullptr; }\n"
    )
    source = parse(f"{scale}{pick}void run(float *p, int n) {{ auto kernel = pick(n); kernel<<<1, 64>>>(p); }}\n")
    assert source.mentioned == {"scale": [("1",), ("4",)]}
    assert source.expressions() == ["scale<1>", "scale<4>"]

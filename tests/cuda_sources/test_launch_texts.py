import pytest

from shflbench.cuda_sources.kernel_file import HostLaunch
from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void kernel(float *p, int n) { p[0] = n; }\n"


def launch(parse: Parse, body: str, before: str = "") -> HostLaunch:
    (found,) = parse(f"{KERNEL}{before}\nint main(int argc, char **argv) {{\n{body}\n}}\n").launches
    return found.launch


@pytest.mark.parametrize(
    ("body", "grid", "block"),
    [
        ("kernel<<<4, 256>>>(p, 3);", (4, 1, 1), (256, 1, 1)),
        ("dim3 grid(2, 3), block(16, 16);\nkernel<<<grid, block>>>(p, 3);", (2, 3, 1), (16, 16, 1)),
        ("int n = 1000; kernel<<<(n + 255) / 256, 256>>>(p, n);", (4, 1, 1), (256, 1, 1)),
        ("const int n = 1 << 10, t = 128; kernel<<<n / t, t>>>(p, n);", (8, 1, 1), (128, 1, 1)),
        ("dim3 b(8, 4); dim3 g(64 / b.x, 64 / b.y); kernel<<<g, b>>>(p, 3);", (8, 16, 1), (8, 4, 1)),
        ("dim3 b = dim3(32); kernel<<<dim3(2), b>>>(p, 3);", (2, 1, 1), (32, 1, 1)),
        ("int n; n = 64; kernel<<<n, 32>>>(p, n);", (64, 1, 1), (32, 1, 1)),
        ("kernel<<<sizeof(float), 0x20>>>(p, 1);", (4, 1, 1), (32, 1, 1)),
        ("dim3 b{4, 4, 2}; kernel<<<1, b>>>(p, 1);", (1, 1, 1), (4, 4, 2)),
        ("kernel<<<(int)ceil(100 / 32.0), 32>>>(p, 1);", (4, 1, 1), (32, 1, 1)),
        ("int n = 4; n++; kernel<<<n, 32>>>(p, n);", (5, 1, 1), (32, 1, 1)),
        ("int n = 4; if (n > 3) n = 8; kernel<<<n, 32>>>(p, n);", (8, 1, 1), (32, 1, 1)),
        ("int n = 4; set(n); kernel<<<n, 32>>>(p, n);", (9, 1, 1), (32, 1, 1)),
        ("dim3 n(4); n.x = 3; n.y = 2; kernel<<<n, 32>>>(p, 3);", (3, 2, 1), (32, 1, 1)),
        ("#ifdef BIG\nint n = 64;\n#else\nint n = 4;\n#endif\nkernel<<<n, 32>>>(p, n);", (4, 1, 1), (32, 1, 1)),
        ("int n = argc > 1 ? 2 : 7; kernel<<<n, 32>>>(p, n);", (7, 1, 1), (32, 1, 1)),
    ],
)
def test_constant_shapes_are_evaluated(
    parse: Parse, body: str, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> None:
    found = launch(parse, body, "void set(int &n) { n = 9; }")
    assert (found.grid, found.block) == (grid, block)


@pytest.mark.parametrize(
    "body",
    [
        "int n = other(); kernel<<<n, 32>>>(p, n);",
        "int n = 4; if (other()) n = 8; kernel<<<n, 32>>>(p, n);",
        "int n = 4; other(&n); kernel<<<n, 32>>>(p, n);",
        "int n = 4; while (other()) n *= 2; kernel<<<n, 32>>>(p, n);",
        "dim3 n(4); n.x = other(); kernel<<<n, 32>>>(p, 3);",
        "kernel<<<1 / 0, 32>>>(p, 3);",
        "kernel<<<1 << 70, 32>>>(p, 3);",
        "kernel<<<UNKNOWN, 32>>>(p, 3);",
        "double e = 1e308; dim3 n(e * 10 - e * 10); kernel<<<n, 32>>>(p, 3);",
    ],
)  # fmt: skip
def test_what_is_not_constant_is_unknown(parse: Parse, body: str) -> None:
    found = launch(parse, body, "void set(int &n) { n = 9; }")
    assert found.grid is None
    assert found.block == (32, 1, 1)


def test_macros_and_functions_of_one_return_count(parse: Parse) -> None:
    before = (
        "#define N 1000\n#define CEIL(a, b) (((a) + (b) - 1) / (b))\nint up(int a, int b) { return (a + b - 1) / b; }\n"
    )
    found = launch(parse, "kernel<<<CEIL(N, 256), up(N, 16)>>>(p, N);", before)
    assert (found.grid, found.block) == ((4, 1, 1), (63, 1, 1))
    assert found.arguments[1].value == 1000


def test_a_definition_on_the_command_line_wins_over_one_in_the_file(parse: Parse) -> None:
    text = f"#ifndef N\n#define N 8\n#endif\n{KERNEL}void f() {{ kernel<<<N, 32>>>(p, N); }}\n"
    (found,) = parse(text, define=["N=64"]).launches
    assert found.launch.grid == (64, 1, 1)


@pytest.mark.parametrize(("define", "grid"), [((), (4, 1, 1)), (("A",), (8, 1, 1))])
def test_a_macro_has_the_definition_that_the_preprocessor_takes(
    parse: Parse, define: tuple[str, ...], grid: tuple[int, int, int]
) -> None:
    macros = "#if defined(A) && !defined(B)\n#define N 8\n#else\n#define N 4\n#endif\n"
    (site,) = parse(f"{macros}{KERNEL}int main() {{ float *p; kernel<<<N, 32>>>(p, 3); }}", define=define).launches
    assert site.launch.grid == grid


def test_allocations_give_sizes_and_fills_give_contents(parse: Parse) -> None:
    body = """float *a, *b, *c, *d; const int n = 100; int m = other();
    cudaMalloc(&a, n * sizeof(float)); CHECK(cudaMalloc((void **)&b, n * sizeof(*b)));
    cudaMalloc(&c, m * sizeof(float)); cudaMallocManaged(&d, 64);
    cudaMemset(a, 0, n * sizeof(float)); cudaMemset(d, -1, 64);
    kernel<<<1, 32, 2 * sizeof(int)>>>(a, b, c, d, nullptr, -2.5f);"""
    found = launch(parse, body)
    buffers = [item.buffer for item in found.arguments]
    assert [item and item.size for item in buffers] == [400, 400, None, 64, None, None]
    assert [item and item.filled for item in buffers] == [0, None, None, 0xFF, None, None]
    assert [item.value for item in found.arguments] == [None, None, None, None, 0, -2.5]
    assert found.shared_bytes == 8


def test_a_copy_after_the_fill_gives_no_contents(parse: Parse) -> None:
    body = "float *a; cudaMalloc(&a, 4); cudaMemset(a, 0, 4); cudaMemcpy(a, h, 4, x); kernel<<<1, 32>>>(a, 1);"
    buffer = launch(parse, body).arguments[0].buffer
    assert buffer is not None
    assert buffer.filled is None


def test_a_launch_by_function_names_its_kernel(parse: Parse) -> None:
    body = """int n = 7; float *p; cudaMalloc(&p, 28); void *args[] = {&p, &n};
    cudaLaunchCooperativeKernel((void *)kernel, dim3(2), dim3(64), args, 16, 0);"""
    found = launch(parse, body)
    assert (found.grid, found.block, found.shared_bytes) == ((2, 1, 1), (64, 1, 1), 16)
    assert found.cooperative
    assert [(item.value, item.buffer and item.buffer.size) for item in found.arguments] == [(None, 28), (7, None)]


def test_a_launch_in_a_comment_is_none(parse: Parse) -> None:
    assert not parse(f"//--blockDim=64 --gridDim=2\n// kernel<<<1, 2>>>(p, 3);\n{KERNEL}").launches


def test_the_line_of_a_launch_is_that_of_its_file(parse: Parse) -> None:
    assert launch(parse, "\n\nkernel<<<1, 32>>>(p, 3);").line.line == 6

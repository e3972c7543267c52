"""The launches that the interpreter of host code reaches: values, buffers, and conditions."""

from collections.abc import Callable
from typing import Any

import pytest

from shflbench.cuda_sources.host.chosen_runs import FURTHER, NUMBERS, SMALL
from shflbench.cuda_sources.host.interpreter import Interpreter
from shflbench.cuda_sources.host.machine import MOST_ITERATIONS, MOST_STEPS, HostState
from shflbench.cuda_sources.kernel_file import HostLaunch
from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void kernel(float *p, int n) { p[0] = n; }\n"
Launches = Callable[..., list[HostLaunch]]


@pytest.fixture
def launches(parse: Parse) -> Launches:
    """Return the launches of a text that follows the kernel."""
    return lambda text: [site.launch for site in parse(KERNEL + text).launches]


def main(body: str) -> str:
    return f"int main(int argc, char **argv) {{ float *p; {body} }}\n"


def numbers(found: list[HostLaunch]) -> list[int | float | None]:
    return [launch.arguments[1].value for launch in found]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (main("int a[] = {3, 5}; kernel<<<1, 32>>>(p, a[1] + sizeof(a) / sizeof(int));"), 7),
        (main("int a[2][3]; a[1][2] = 6; kernel<<<1, 32>>>(p, a[1][2]);"), 6),
        (main("int a[4][3] = {{16, 8, 1}, {4}}, *q = a[0]; kernel<<<1, 32>>>(p, q[1] + 9 * a[1][0] + a[1][1]);"), 44),
        (main("int a[3][2] = {1, 2, 3, 4}; kernel<<<1, 32>>>(p, 10 * a[1][0] + a[1][1] + a[2][0]);"), 34),
        (main("int a[2][2][2] = {{{1, 2}, {3, 4}}, {{5}}}; kernel<<<1, 32>>>(p, 10 * a[0][1][1] + a[1][0][0]);"), 45),
        (main("std::vector<int> a(4); std::iota(a.begin(), a.end(), 5); kernel<<<1, 32>>>(p, a[0] + 10 * a[3]);"), 85),
        (main("int *a = new int[4]; std::fill(a + 1, a + 3, 7); kernel<<<1, 32>>>(p, a[1] + a[2]);"), 14),
        (main("int *a = new int[4]; for (int i = 0; i < 4; i++) a[i] = 2 * i; kernel<<<1, 32>>>(p, a[3]);"), 6),
        (main("int a[] = {9, 2, 7, 4}; std::sort(a, a + 4); kernel<<<1, 32>>>(p, 10 * a[0] + a[3]);"), 29),
        ("template <typename T> int which() { if constexpr (std::is_same_v<T, float>) return 1;\n"
         "  if constexpr (std::is_integral<T>::value) return 2; else return 3; }\n"
         + main("kernel<<<1, 32>>>(p, 100 * which<float>() + 10 * which<short>() + which<double>());"), 123),
        (main("int a[] = {9, 2, 7}; qsort(a, 3, sizeof(int), order); kernel<<<1, 32>>>(p, a[1]);"), 7),
        (main("int *a; posix_memalign((void **)&a, 64, 16); a[3] = 8; kernel<<<1, 32>>>(p, a[3]);"), 8),
        (main("int *a = new int[2], *b; cudaHostGetDevicePointer(&b, a, 0); a[1] = 7; kernel<<<1, 32>>>(p, b[1]);"), 7),
        (main("const char *a = \"3x\"; kernel<<<1, 32>>>(p, a[0] - '0' + a[2]);"), 3),
        (main("unsigned char c = 300; kernel<<<1, 32>>>(p, c);"), 44),
        (main("int n = 7 / 2 * 2.5; kernel<<<1, 32>>>(p, n);"), 7),
        (main("int n = 0; do { n += 3; } while (n < 10); kernel<<<1, 32>>>(p, n);"), 12),
        (main("int n = 1; while (true) { if (n > 50) break; n *= 2; } kernel<<<1, 32>>>(p, n);"), 64),
        (main("int n = 0; for (int v : {1, 2, 4}) n += v; kernel<<<1, 32>>>(p, n);"), 7),
        (main("int n; switch (3) { case 1: n = 1; break; case 3: n = 5; case 4: n++; } kernel<<<1, 32>>>(p, n);"), 6),
        (main("auto add = [](int a, int b) { return a + b; }; kernel<<<1, 32>>>(p, add(2, 3));"), 5),
        ("const int sizes[] = {2, 7, 61};\n" + main("for (int i = 0; i < argc; i++) use(sizes);"
         "kernel<<<1, 32>>>(p, sizes[2]);"), 61),
        (main("int n = 4, *q = &n; *q = 9; kernel<<<1, 32>>>(p, n);"), 9),
        (main("int n = std::max(3, std::min(9, 5)); kernel<<<1, 32>>>(p, n);"), 5),
        (main("int rank, size; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);"
              "MPI_Comm_size(MPI_COMM_WORLD, &size); kernel<<<1, 32>>>(p, 10 * rank + 3 * size + argc);"), 4),
        (main("cudaDeviceProp d; cudaGetDeviceProperties(&d, 0); kernel<<<1, 32>>>(p, d.warpSize);"), 32),
        (main("cudaDeviceProp d; cudaGetDeviceProperties(&d, 0); "
              "kernel<<<1, 32>>>(p, std::min(1 << 20, d.maxGridSize[1]) + d.maxThreadsDim[2]);"), 65535 + 64),
        (main("int n; cudaDeviceGetAttribute(&n, cudaDevAttrMaxGridDimX, 0); kernel<<<1, 32>>>(p, n);"), 2**31 - 1),
        ("enum Size { SMALL = 4, LARGE };\n" + main("kernel<<<1, 32>>>(p, LARGE);"), 5),
        ("const int N = 6;\nint count = N * 2;\n" + main("count++; kernel<<<1, 32>>>(p, count);"), 13),
        ("struct S { int n = 2; int get() { return 2 * n; } };\n" + main("S s; kernel<<<1, 1>>>(p, s.get());"), 4),
        ("struct S { int n; S(int m) : n(m + 1) {} };\n" + main("S s(3); S *q = &s; kernel<<<1, 32>>>(p, q->n);"), 4),
        ("struct A { int n = 3; }; struct B : A {};\n" + main("B b; kernel<<<1, 32>>>(p, b.n);"), 3),
        ("template <typename T> struct P { static const int size = 16 / sizeof(T); };\n"
         + main("kernel<<<1, 32>>>(p, P<double>::size);"), 2),
        ("template <int N, typename T> void run(T v) { float *p; kernel<<<1, 32>>>(p, N + sizeof(T)); }\n"
         + main("run<8>(1.5f);"), 12),
        ("int power(int n) { return n ? 2 * power(n - 1) : 1; }\n" + main("kernel<<<1, 32>>>(p, power(5));"), 32),
        ("void set(int *n, int &m) { *n = m = 3; }\n" + main("int a, b; set(&a, b); kernel<<<1, 1>>>(p, a + b);"), 6),
        ("#define RUN(n) do { kernel<<<1, 32>>>(p, n); } while (0)\n" + main("RUN(4 + 1);"), 5),
        ("#define CHECK(call) { int error = (call); if (error != cudaSuccess) exit(1); }\n"
         + main("CHECK(cudaMalloc(&p, 8)); kernel<<<1, 32>>>(p, 8);"), 8),
    ],
)  # fmt: skip
def test_the_code_around_a_launch_gives_its_numbers(launches: Launches, text: str, value: int) -> None:
    assert numbers(launches(text)) == [value]


def test_a_program_without_words_takes_its_defaults_first(launches: Launches) -> None:
    first, *others = launches(main("int n = 64; if (argc > 1) n = atoi(argv[1]); kernel<<<n / 32, 32>>>(p, n);"))
    assert (first.grid, first.assumed, first.is_forced) == ((2, 1, 1), (), False)
    assert [(launch.grid, launch.assumed) for launch in others] == [
        ((number // 32, 1, 1), (("argv[1]", number),)) for number in FURTHER
    ]


@pytest.mark.parametrize(
    ("body", "numbers_of_launches"),
    [
        # The last word is refused, so that the first one is the only one.
        ("int n = argc > 1 ? atoi(argv[1]) : 64; if (argc > 2 && atoi(argv[2]) > 4) return 1; kernel<<<8, 32>>>(p, n);",
         [64, *FURTHER]),
        ("int n = argc > 1 ? atoi(argv[1]) : 64; if (n % 16) return 1; kernel<<<n / 8, 32>>>(p, n);", [64, 65_536]),
        # A larger number shows nothing more.
        ("int n = argc > 1 ? atoi(argv[1]) : 1 << 20; kernel<<<8, 32>>>(p, n);", [1 << 20, 1000]),
        # The kernel may depend on the block: one of another size, here of 1024 threads.
        ("int n = argc > 1 ? atoi(argv[1]) : 64; kernel<<<8, n>>>(p, 8);", [8, 8]),
        ("int device = argc > 1 ? atoi(argv[1]) : 0; cudaSetDevice(device); kernel<<<8, 32>>>(p, 8);", [8]),
        ("int n = argc > 1 ? atoi(argv[1]) : 64; if (n > 512) exit(1); kernel<<<8, 32>>>(p, n);", [64]),
    ],
)  # fmt: skip
def test_words_that_a_program_also_runs_without_are_further_numbers(
    launches: Launches, body: str, numbers_of_launches: list[int]
) -> None:
    assert numbers(launches(main(body))) == numbers_of_launches


@pytest.mark.parametrize("stream", ["std::cin", "file", "*file"])
def test_numbers_that_a_stream_reads_are_one_number_of_the_input(launches: Launches, stream: str) -> None:
    seen = launches(main(f"int n = 0, m; {stream} >> n >> m; kernel<<<n / 64, 64>>>(p, m);"))
    assert numbers(seen)[0] == NUMBERS[0]
    assert all(launch.assumed == (("input", launch.arguments[1].value),) for launch in seen)


def test_a_number_in_a_text_that_a_stream_reads_is_one_of_the_input(launches: Launches) -> None:
    read = "int read(std::istream &in) { std::string text; in >> text; return std::stoi(text); }\n"
    body = "std::ifstream in(argv[0]); int n = read(in); if (n > 64) throw n; kernel<<<1, 64>>>(p, n);"
    seen = launches(read + main(body))
    assert numbers(seen)[0] == 64
    assert all(launch.assumed == (("input", launch.arguments[1].value),) for launch in seen)


def test_elements_of_an_array_that_a_stream_reads_are_not_its_size(launches: Launches) -> None:
    read = "void read(std::istream &in, int &v) { std::string text; in >> text; v = std::stoi(text); }\n"
    fill = (
        "std::vector<int> labels(n); for (int i = 0; i < n; i++) { read(in, labels[i]); if (labels[i] >= n) throw i; }"
    )
    body = f"std::ifstream in(argv[0]); int n; read(in, n); {fill} kernel<<<1, 64>>>(p, n);"
    assert NUMBERS[0] in numbers(launches(read + main(body)))


def test_a_program_that_accepts_only_small_numbers_gets_two_of_them(launches: Launches) -> None:
    assert numbers(launches(main("int n; std::cin >> n; if (n > 9) exit(1); kernel<<<1, 64>>>(p, n);"))) == [2, SMALL]


def test_a_long_loop_is_followed_with_the_smallest_number_only(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    source = parse(KERNEL + main(
        "int n, s = 0; std::cin >> n; if (n > 256) exit(1); for (int i = 0; i < 100 * n; i++) s += i;"
        "kernel<<<n / 64, 64>>>(p, n);"
    ))  # fmt: skip
    steps: dict[int, int] = {}
    run = Interpreter.run

    def recorded(*arguments: Any, **options: Any) -> HostState:
        state = run(*arguments, **options)
        steps[state.given.number] = steps.get(state.given.number, 0) + state.steps
        return state

    monkeypatch.setattr(Interpreter, "run", recorded)
    assert source.launches
    assert steps[64] > MOST_ITERATIONS > 2 * steps[256]


def test_kernels_that_a_lambda_launches_alike_are_all_found(parse: Parse) -> None:
    other = KERNEL.replace("kernel", "other")
    body = "auto time = [&](auto f) { f<<<4, 64>>>(p, 3); }; time(kernel); time(other);"
    sites = parse(KERNEL + other + main(body)).launches
    assert {(site.kernel, site.launch.grid) for site in sites} == {("kernel", (4, 1, 1)), ("other", (4, 1, 1))}


def test_kernels_in_an_array_are_launched_by_their_names(launches: Launches) -> None:
    body = "void (*kernels[2])(float *, int) = {other, kernel};"
    seen = launches("__global__ void other(float *p, int n) {}\n" + main(body + "kernels[1]<<<3, 32>>>(p, 5);"))
    assert [(launch.grid, launch.arguments[1].value) for launch in seen] == [((3, 1, 1), 5)]


def test_numbers_that_are_unknown_stay_in_order_after_a_sort(launches: Launches) -> None:
    body = "int n = 1 << 20; std::vector<int> a(n); fill_in(a); std::sort(a.begin(), a.end()); cudaMalloc(&p, 4 * n);"
    copy = "cudaMemcpy(p, a.data(), 4 * n, cudaMemcpyHostToDevice);"
    for after, is_sorted in (("", True), ("a[3] = 1;", False), ("fill_in(a);", False)):
        (launch,) = launches(main(f"{body} {after} {copy} kernel<<<1, 32>>>(p, n);"))
        buffer = launch.arguments[0].buffer
        assert (buffer and buffer.size, buffer and buffer.is_sorted) == (4 << 20, is_sorted)


@pytest.mark.parametrize("range_", ["a - 1, a + 2", "a, (int *)((char *)a + 6)", "a + 2, a", "a, a + 9"])
def test_a_sort_of_what_is_no_range_of_numbers_leaves_contents_unknown(launches: Launches, range_: str) -> None:
    seen = launches(main(f"int a[] = {{9, 2, 7, 4}}; std::sort({range_}); kernel<<<1, 32>>>(p, a[0]);"))
    assert numbers(seen) == [None]


def test_variables_that_another_function_sets_are_unknown_in_a_file_without_main(launches: Launches) -> None:
    globals_ = "static float *shared_buffer; static int count;\n"
    (launch,) = launches(globals_ + "void run() { kernel<<<2, 32>>>(shared_buffer, count); }\n")
    assert [(argument.value, argument.buffer) for argument in launch.arguments] == [(None, None)] * 2
    (whole,) = launches(globals_ + main("kernel<<<2, 32>>>(shared_buffer, count);"))
    assert [argument.value for argument in whole.arguments] == [0, 0]


@pytest.mark.parametrize("argument", ["g", "&g"])
def test_a_function_of_another_file_fills_a_structure(launches: Launches, argument: str) -> None:
    body = f"Graph g; load({argument}); cudaMalloc(&p, g.rows.size() * 4); kernel<<<g.n / 64, 64>>>(p, g.n);"
    seen = launches("struct Graph { int n; std::vector<int> rows; };\n" + main(body))
    assert numbers(seen)[0] == NUMBERS[0]
    for launch in seen:
        buffer = launch.arguments[0].buffer
        assert launch.assumed == (("the result of load", launch.arguments[1].value),)
        assert (buffer is not None, buffer and buffer.size) == (True, None)


def test_a_shift_of_an_unknown_number_reads_nothing(launches: Launches) -> None:
    (launch,) = launches(main("int n = 4, m = unknown(); int k = m >> n; kernel<<<1, 64>>>(p, n);"))
    assert (launch.arguments[1].value, launch.assumed) == (4, ())


def test_options_in_a_switch_give_their_numbers(launches: Launches) -> None:
    switch = "switch (argv[i][1]) { case 'n': n = atoi(argv[++i]); fill(n); break; case 'q': quiet = 1; }"
    body = f"int n = 0, quiet = 0; for (int i = 1; i < argc; i++) if (argv[i][0] == '-') {switch}"
    fill = "void fill(int n) { int s = 0; for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) s += k; }\n"
    seen = launches(fill + main(f"if (argc < 2) return 1; {body} if (n) kernel<<<(n + 63) / 64, 64>>>(p, n);"))
    assert numbers(seen)[0] == NUMBERS[0]
    assert all(launch.assumed == (("argv[2]", launch.arguments[1].value),) for launch in seen)


def test_a_number_of_the_command_line_is_one_number_in_all_of_a_launch(launches: Launches) -> None:
    body = "if (argc != 2) return 1; int n = atoi(argv[1]); cudaMalloc(&p, n * 4); kernel<<<(n + 63) / 64, 64>>>(p, n);"
    seen = launches(main(body))
    assert len(seen) > 2
    for launch in seen:
        ((name, number),) = launch.assumed
        buffer = launch.arguments[0].buffer
        assert (name, buffer and buffer.size) == ("argv[1]", 4 * number)
        assert (launch.grid, launch.arguments[1].value) == ((-(-number // 64), 1, 1), number)


def test_a_number_that_the_program_refuses_is_not_taken(launches: Launches) -> None:
    body = "int n = atoi(argv[1]); if (n % 16 || n > 5000) exit(1); kernel<<<n / 16, 32>>>(p, n);"
    assert all(number and number % 16 == 0 and number <= 5000 for number in numbers(launches(main(body))))


def test_an_option_of_the_command_line_gives_a_number(launches: Launches) -> None:
    body = 'int n; for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);'
    seen = launches(main(f"if (argc < 3) return 1; {body} kernel<<<n, 32>>>(p, n);"))
    assert seen
    assert all(launch.grid is not None for launch in seen)


def test_contents_that_host_code_computes_go_with_the_launch(launches: Launches) -> None:
    body = "int h[4]; for (int i = 0; i < 4; i++) h[i] = 3 - i; cudaMalloc(&p, 16); cudaMemcpy(p, h, 16, c);"
    first, second = launches(main(f"{body} kernel<<<1, 32>>>(p, 1); kernel<<<1, 32>>>(p, 2);"))
    buffers = [launch.arguments[0].buffer for launch in (first, second)]
    expected = b"".join(number.to_bytes(4, "little") for number in (3, 2, 1, 0))
    assert [buffer and buffer.contents for buffer in buffers] == [expected, None]  # the first kernel may write them


def test_a_copy_in_two_dimensions_copies_each_row(launches: Launches) -> None:
    body = "int h[6] = {0, 1, 2, 3, 4, 5}; cudaMalloc(&p, 16); cudaMemcpy2D(p, 8, h, 12, 8, 2, c);"
    (launch,) = launches(main(f"{body} kernel<<<1, 32>>>(p, 1);"))
    expected = b"".join(number.to_bytes(4, "little") for number in (0, 1, 3, 4))
    assert launch.arguments[0].buffer is not None
    assert launch.arguments[0].buffer.contents == expected


def test_a_copy_past_the_end_of_its_source_leaves_contents_unknown(launches: Launches) -> None:
    body = "int h[2] = {1, 2}; cudaMalloc(&p, 16); cudaMemcpy(p, h, 16, c);"
    (launch,) = launches(main(f"{body} kernel<<<1, 32>>>(p, 1);"))
    assert launch.arguments[0].buffer is not None
    assert launch.arguments[0].buffer.contents is None


def test_contents_are_unknown_after_a_function_of_other_files(launches: Launches) -> None:
    (launch,) = launches(
        main("int h[1] = {1}; read(h); cudaMalloc(&p, 4); cudaMemcpy(p, h, 4, c); kernel<<<1, 1>>>(p, 1);")
    )
    assert launch.arguments[0].buffer is not None
    assert launch.arguments[0].buffer.contents is None


def test_pointers_into_one_allocation_have_one_number(launches: Launches) -> None:
    text = "__global__ void two(float *a, double *b, float *c) {}\n"
    (launch,) = launches(
        text + main("cudaMalloc(&p, 64); float *q; cudaMalloc(&q, 8); two<<<1, 1>>>(p + 2, (double *)p + 1, q);")
    )
    buffers = [(item.buffer and item.buffer.number, item.offset) for item in launch.arguments]
    assert buffers == [(0, 8), (0, 8), (1, 0)]


def test_a_loop_that_launches_gives_some_of_its_launches(launches: Launches) -> None:
    assert numbers(launches(main("for (int n = 1; n < 100; n += 1) kernel<<<n, 32>>>(p, n);"))) == [1, 2, 21, 40]


def test_launches_that_a_program_repeats_leave_room_for_later_ones(launches: Launches) -> None:
    repeated = "for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) kernel<<<1, 32>>>(p, 1);"
    body = f"int n = 1; {repeated} n += 1; kernel<<<n, 32>>>(p, n);"
    assert numbers(launches(main(body))) == [1, 2]


def test_a_long_loop_that_repeats_a_launch_leaves_time_for_later_ones(launches: Launches) -> None:
    work = f"int sum = 0; for (int i = 0; i < {MOST_STEPS // 30}; i++) sum += i;"
    repeated = f"for (int r = 0; r < 100; r++) {{ {work} kernel<<<1, 32>>>(p, 1); }}"
    assert numbers(launches(main(f"int n = 1; {repeated} n += 1; kernel<<<n, 32>>>(p, n);"))) == [1, 2]


def test_one_repeated_launch_does_not_end_a_long_loop(launches: Launches) -> None:
    work = f"int sum = 0; for (int i = 0; i < {MOST_STEPS // 30}; i++) sum += i;"
    sizes = "int sizes[] = {1, 2, 2, 3};"
    body = f"{sizes} for (int r = 0; r < 4; r++) {{ {work} int n = sizes[r]; kernel<<<n, 32>>>(p, n); }}"
    assert numbers(launches(main(body))) == [1, 2, 3]


def test_repeated_launches_leave_what_a_kernel_only_reads(parse: Parse) -> None:
    kernel = "__global__ void copy(const int *from, int *to) { to[0] = from[0]; }\n"
    body = """int h[2] = {3, 4}, *from, *to; cudaMalloc(&from, 8); cudaMalloc(&to, 8);
        cudaMemcpy(from, h, 8, cudaMemcpyHostToDevice); cudaMemcpy(to, h, 8, cudaMemcpyHostToDevice);
        for (int i = 0; i < 1000; i++) copy<<<1, 32>>>(from, to);
        copy<<<2, 32>>>(from, to);"""
    last = [site.launch for site in parse(kernel + main(body)).launches][-1]
    contents = [item.buffer.contents for item in last.arguments if item.buffer is not None]
    assert (last.grid, contents) == ((2, 1, 1), [bytes([3, 0, 0, 0, 4, 0, 0, 0]), None])


def test_a_long_loop_leaves_its_results_unknown(launches: Launches) -> None:
    body = f"int n = 0, m = 5; for (int i = 0; i < {MOST_ITERATIONS + 1}; i++) n += i; kernel<<<m, 32>>>(p, n);"
    (launch,) = launches(main(body))
    assert (launch.grid, launch.arguments[1].value) == ((5, 1, 1), None)


def test_an_endless_program_ends(launches: Launches) -> None:
    assert launches(main("kernel<<<1, 32>>>(p, 3); for (;;) { cudaDeviceSynchronize(); }"))
    assert MOST_STEPS < 10**6


def test_a_launch_against_a_condition_is_forced(launches: Launches) -> None:
    body = "int kind = 1; if (kind == 1) { kernel<<<1, 32>>>(p, 1); } else { kernel<<<2, 32>>>(p, 2); }"
    assert [(launch.grid, launch.is_forced) for launch in launches(main(body))] == [
        ((1, 1, 1), False),
        ((2, 1, 1), True),
    ]


def test_a_function_that_nothing_calls_has_numbers_in_place_of_parameters(launches: Launches) -> None:
    for launch in launches('extern "C" void solve(float *in, int N) { kernel<<<(N + 255) / 256, 256>>>(in, N); }\n'):
        assert launch.assumed == (("N", launch.arguments[1].value),)
        assert launch.arguments[0].buffer is not None
        assert launch.arguments[0].buffer.size is None


def test_a_parameter_has_the_number_that_its_function_requires(launches: Launches) -> None:
    text = """#define RADIUS 4
    void solve(float *in, int n, int radius) {
        if (radius != RADIUS) { exit(1); }
        if (n != 3) n = n + radius;
        kernel<<<n / 64, 64>>>(in, n);
    }\n"""
    for launch in launches(text):
        assumed = dict(launch.assumed)
        assert assumed["radius"] == 4
        assert launch.arguments[1].value == assumed["n"] + 4


@pytest.mark.parametrize(
    ("words", "block"), [(None, 256), ((), 256), (("--size=64",), 64), (("-block", "-size=96"), 96)]
)
def test_options_that_are_not_given_have_their_defaults(
    parse: Parse, words: tuple[str, ...] | None, block: int
) -> None:
    body = """int size = 256;
    if (checkCmdLineFlag(argc, (const char **)argv, "size")) size = getCmdLineArgumentInt(argc, argv, "size");
    kernel<<<1, size>>>(p, 1);"""
    (site,) = parse(KERNEL + main(body), words=words).launches
    assert site.launch.block == (block, 1, 1)


def test_a_block_follows_the_attributes_of_a_kernel(launches: Launches) -> None:
    body = "cudaFuncAttributes a; cudaFuncGetAttributes(&a, kernel); kernel<<<2, a.maxThreadsPerBlock / 4>>>(p, 1);"
    (launch,) = launches(main(body))
    assert launch.block == (256, 1, 1)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("std::vector<int> v(3); for (auto &x : v) x = 2; kernel<<<1, 1>>>(p, v[2]);", 2),
        (f"std::vector<int> v({MOST_ITERATIONS + 1}); for (auto &x : v) x = 2; kernel<<<1, 1>>>(p, v[2]);", None),
        ("size_t n = 1 << 20; std::vector<int> v(n * n); for (auto &x : v) x = 2; kernel<<<1, 1>>>(p, v[2]);", None),
    ],
)
def test_a_loop_over_elements_changes_each_or_leaves_them_unknown(
    launches: Launches, body: str, value: int | None
) -> None:
    assert numbers(launches(main(body))) == [value]


def test_options_of_a_given_command_line_are_compared(parse: Parse) -> None:
    options = """int n = 1, steps = 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);
        else if (std::string(argv[i]) == "-s") steps = atoi(argv[++i]);
    }"""
    (site,) = parse(KERNEL + main(f"{options} kernel<<<steps, 32>>>(p, n);"), words=["-n", "1000", "-s", "2"]).launches
    assert (site.launch.grid, site.launch.arguments[1].value) == ((2, 1, 1), 1000)


@pytest.mark.archs
@pytest.mark.parametrize(
    "text",
    [
        main("double e = 1e308, f = e * 10; kernel<<<1, 32>>>(p, f - f);"),
        main("auto n = 3; for (int i = 0; i < 4000; i++) n = n * n; kernel<<<1, 32>>>(p, n);"),
        "#define A (A + A)\n#if A\nint n = 1;\n#endif\n" + main("kernel<<<1, 32>>>(p, A);"),
        main(f'kernel<<<1, 32>>>(p, atoi("{"9" * 5000}"));'),
    ],
    ids=["infinity", "growth", "a macro that names itself", "digits"],
)
def test_a_number_that_no_type_holds_is_unknown(launches: Launches, text: str) -> None:
    assert numbers(launches(text)) == [None]

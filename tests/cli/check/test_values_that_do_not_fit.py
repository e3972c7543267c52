"""A fault with chosen values that does not happen with others says only that the first ones do not fit."""

from pathlib import Path

import numpy as np
import pytest

from shflbench.checker.inputs.alternatives import Alternative, Contents
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.checker.runs import budget, kernel_runs
from shflbench.checker.runs.evidence import LaunchEvidence
from tests.cli.check.conftest import CheckText
from tests.conftest import Command

LINEAR = "blockIdx.x * blockDim.x + threadIdx.x"
MAIN = """
int main() {{
    float *in, *out; unsigned *place;
    cudaMalloc(&in, 1024 * sizeof(float)); cudaMalloc(&out, 1024 * sizeof(float));
    cudaMalloc(&place, 1024 * sizeof(unsigned)); cudaMemcpy(place, host_places(), 4096, cudaMemcpyHostToDevice);
    {launch}
}}
"""


def moved(statement: str) -> str:
    """Return a program that moves values to or from places that its host code reads from elsewhere."""
    kernel = f"""
unsigned *host_places();
__global__ void moved(const float *in, float *out, unsigned *place) {{ int i = {LINEAR}; {statement} }}
"""
    return kernel + MAIN.format(launch="moved<<<4, 256>>>(in, out, place);")


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("out[place[i]] = in[i];", "WAW only with chosen values of `place`, and not with others"),
        ("out[i] = in[place[i] * 4];", "out of bounds only with chosen values of `place`, and not with others"),
    ],
)
def test_a_place_that_contents_decide_on_is_clean(check_text: CheckText, statement: str, sentence: str) -> None:
    report = check_text(moved(statement))
    assert (report.code, report.verdict) == (0, "clean"), report.sentence
    assert sentence in report.sentence
    assert not report.kernel.get("difference")


@pytest.mark.parametrize(
    ("host", "verdict"),
    [
        ("void step(float *in, float *out) { blur<<<4, 256>>>(in, out); }", "clean"),
        ("int main() { float *in, *out; ALLOCATE(4096); blur<<<4, 256>>>(in, out); }", "broken"),
        ("int main() { float *in, *out; ALLOCATE(4100); blur<<<4, 256>>>(in + 1, out); }", "clean"),
        ("", "needs arguments"),
    ],
)
def test_an_element_before_a_pointer_is_one_of_its_buffer_if_another_file_may_have_moved_it(
    check_text: CheckText, host: str, verdict: str
) -> None:
    kernel = f"__global__ void blur(const float *in, float *out) {{ int i = {LINEAR}; out[i] = in[i - 1] + in[i]; }}\n"
    macro = "#define ALLOCATE(bytes) cudaMalloc(&in, bytes); cudaMalloc(&out, 4096)\n"
    assert check_text(macro + kernel + host).verdict == verdict


@pytest.mark.parametrize(
    ("host", "grid", "verdict"),
    [
        ("void copy(float *in, float *out, int n)", "n % 256 ? 4 : n / 256", "clean"),
        ("int main(int argc, char **argv)", "n % 256 ? 4 : n / 256", "needs arguments"),
        ("void copy(float *in, float *out, int n)", "(n + 255) / 256", "broken"),
        ("int main(int argc, char **argv)", "(n + 255) / 256", "broken"),
    ],
)
def test_a_function_of_the_file_need_not_take_every_number_and_a_program_should_unless_grids_are_rounded_up(
    check_text: CheckText, host: str, grid: str, verdict: str
) -> None:
    kernel = f"__global__ void copied(const float *in, float *out) {{ int i = {LINEAR}; out[i] = in[i]; }}\n"
    number = "" if "int n" in host else "float *in, *out; int n = atoi(argv[1]);"
    sizes = "cudaMalloc(&in, 4 * n); cudaMalloc(&out, 4 * n);"
    report = check_text(f"{kernel}{host} {{ {number} {sizes} copied<<<{grid}, 256>>>(in, out); }}")
    assert report.verdict == verdict, report.sentence
    if verdict == "clean":
        assert "out of bounds only in launch 4x256 with chosen n = " in report.sentence


SORTED = f"""
#include <algorithm>
#include <vector>
void fill_in(std::vector<float> &values);
__global__ void first_not_below_zero(const float *in, int *place, int n) {{
    int i = {LINEAR};
    if (i > 0 && i < n && in[i - 1] < 0 && in[i] >= 0) *place = i;
}}
int main() {{
    int n = 1 << 20, *place;
    float *in;
    std::vector<float> values(n);
    fill_in(values);
    SORT
    cudaMalloc(&place, 4); cudaMalloc(&in, 4 * n); cudaMemcpy(in, values.data(), 4 * n, cudaMemcpyHostToDevice);
    first_not_below_zero<<<n / 256, 256>>>(in, place, n);
}}
"""


@pytest.mark.parametrize(
    ("size", "verdict"),
    [("2", "needs arguments"), ("1", "clean")],  # with a size of 1, one thread writes, and cannot race
)
def test_a_launch_in_which_one_thread_has_work_refutes_no_race(check_text: CheckText, size: str, verdict: str) -> None:
    row = f"if (i < n) out[(i / {size}) * row_stride] = i;"
    report = check_text(f"__global__ void set(float *out, int n, int row_stride) {{ int i = {LINEAR}; {row} }}\n")
    assert report.verdict == verdict, report.sentence


@pytest.mark.parametrize(
    "store", ["if (t < n) out[t % 32 * width] = t;", "for (int i = t; i < width; i += 64) out[width - 1 - t % 48] = t;"]
)
def test_a_launch_in_which_fewer_threads_have_work_refutes_no_race(check_text: CheckText, store: str) -> None:
    kernel = f"__global__ void k(float *out, int width, int n) {{ int t = {LINEAR}; {store} }}"
    outcome = check_text(kernel)
    assert outcome.verdict == "needs arguments"
    assert outcome.sentence.startswith("WAW")


@pytest.mark.archs
def test_contents_that_the_host_code_sorts_are_sorted(check_text: CheckText) -> None:
    assert check_text(SORTED.replace("SORT", "")).verdict == "broken"
    assert check_text(SORTED.replace("SORT", "std::sort(values.begin(), values.end());")).verdict == "clean"


def test_a_count_without_atomics_needs_arguments(check_text: CheckText) -> None:
    """Each thread has its own bin only if all contents differ, which nobody counts."""
    assert check_text(moved("place[place[i] & 127]++;")).verdict == "broken"  # 1024 threads share 128 bins
    assert check_text(moved("out[place[i]] += in[i];")).verdict == "needs arguments"


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("c[(blockIdx.y * 16 + threadIdx.y) * ldc + blockIdx.x * 16 + threadIdx.x] = a[threadIdx.x];", "clean"),
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= ldc) c[i] = a[i];", "needs arguments"),
    ],
)
def test_a_width_that_does_not_fit_is_no_fault_and_an_end_that_a_guard_misses_may_be_one(
    check_text: CheckText, statement: str, verdict: str
) -> None:
    report = check_text(f"__global__ void rows(const float *a, float *c, int ldc) {{ {statement} }}")
    assert report.verdict == verdict, report.sentence


def test_a_body_that_runs_only_with_other_numbers_is_checked(check_text: CheckText) -> None:
    source = f"""
__global__ void tail(const float *in, float *out, int n) {{
    int i = {LINEAR};
    if (n < 20 && i < n) out[i] = in[i];
}}
"""
    report = check_text(source)
    assert report.verdict == "clean", report.sentence


def test_a_race_with_other_numbers_stays_one(check_text: CheckText) -> None:
    source = """
__global__ void neighbors(float *data, int stride) {
    __shared__ float line[1024];
    line[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = line[(threadIdx.x + stride) & 1023];
}
"""
    assert check_text(source).verdict in {"broken", "needs arguments"}


@pytest.mark.parametrize(
    ("contents", "name", "values"),
    [
        (Contents.ORDER, "u32", [0, 1, 2, 0, 1]),
        (Contents.ORDER, "f32", [0, 1, 2, 3, 4]),
        (Contents.ZERO, "f64", [0, 0, 0, 0, 0]),
        (Contents.ONE, "i8", [1, 1, 1, 1, 1]),
    ],
)
def test_alternative_contents(contents: Contents, name: str, values: list[int]) -> None:
    element = ELEMENTS[name]
    data = Alternative(contents).filled(element, 5, 3)
    assert data.view(np.dtype(element.numpy)).tolist() == values


def test_a_grid_that_is_scaled_down_does_not_fit_the_sizes(check_text: CheckText) -> None:
    """With fewer blocks and shorter rows, blocks of 128 threads overlap; at the real sizes they do not."""
    source = """
__global__ void rows(float *data, int width) {
    int i = blockIdx.y * width + blockIdx.x * blockDim.x + threadIdx.x;
    data[i] += blockIdx.y;
}
int main() {
    float *data; cudaMalloc(&data, 64 * 64 * 128 * sizeof(float));
    rows<<<dim3(64, 64), 128>>>(data, 8192);
}
"""
    report = check_text(source)
    assert report.verdict == "clean", report.sentence


def test_a_size_that_no_guard_of_the_buffer_suggests_is_not_its_end(check_text: CheckText) -> None:
    source = f"""
__global__ void square(float *data, int n) {{
    int i = {LINEAR};
    if (i < n) for (int row = 0; row < n; row++) data[row * n + i] = data[i] + i;
}}
"""
    report = check_text(source)
    assert report.verdict == "clean", report.sentence
    assert "; out of bounds only with chosen size of `data` and n = 223, and not with others" in report.sentence


LONG = """
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}
int main() {
    int n = 4000000; float *a, *b, *c;
    cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float)); cudaMalloc(&c, n * sizeof(float));
    add<<<1, 1>>>(a, b, c, n);
}
"""


@pytest.fixture
def few_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let launches take a tenth of the instructions or less, so that long ones reach the limit sooner."""
    monkeypatch.setattr(budget, "MOST_PATIENT", 50_000)
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 10_000)


@pytest.mark.archs
@pytest.mark.usefixtures("few_instructions")
def test_a_loop_that_is_long_at_the_sizes_of_the_host_code_is_checked_with_fewer_iterations(
    check_text: CheckText,
) -> None:
    report = check_text(LONG)
    assert report.verdict == "clean", report.sentence
    assert "; launch 1x1 did not end within the limit of instructions, a shorter one did" in report.sentence


@pytest.mark.archs
@pytest.mark.usefixtures("few_instructions")
def test_no_other_arguments_are_tried_where_none_makes_a_loop_shorter(
    check_text: CheckText, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    one_launch = kernel_runs.KernelRuns.one_launch

    def count(runs: kernel_runs.KernelRuns, launch: PlannedLaunch) -> LaunchEvidence:
        ran.append(launch.shape.threads)
        return one_launch(runs, launch)

    monkeypatch.setattr(kernel_runs.KernelRuns, "one_launch", count)
    report = check_text(LONG.replace("i < n;", "i < 4000000;"))
    assert report.verdict == "not checked", report.sentence
    assert not ran


@pytest.mark.archs
@pytest.mark.usefixtures("few_instructions")
def test_a_race_in_a_shorter_launch_is_not_clean(check_text: CheckText) -> None:
    report = check_text(LONG.replace("c[i] =", "c[0] =").replace("<<<1, 1>>>", "<<<1, 64>>>"))
    assert report.verdict != "clean", report.sentence


def test_equal_values_at_one_address_only_with_chosen_contents_leave_no_doubt(check_text: CheckText) -> None:
    report = check_text(moved("out[place[i]] = 1;"))
    assert report.verdict == "clean", report.sentence
    assert "WAW of equal values only with chosen values of `place`" in report.sentence
    assert check_text(moved("out[i / 2] = 1;")).verdict == "doubtful"


@pytest.mark.archs
@pytest.mark.parametrize(("blocks", "verdict"), [(1024, "clean"), (64, "broken")])
def test_a_race_between_iterations_counts_if_blocks_iterate_twice_at_the_real_sizes(
    check_text: CheckText, blocks: int, verdict: str
) -> None:
    """A block that may read its tile while another thread of it stores the next one, if there is a next one."""
    source = f"""
__global__ void reversed(const int *in, int *out, int n) {{
    __shared__ int tile[256];
    for (int i = {LINEAR}; i < n; i += gridDim.x * blockDim.x) {{
        tile[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = tile[255 - threadIdx.x];
    }}
}}
int main() {{
    int n = 1 << 18, *in, *out;
    cudaMalloc(&in, n * sizeof(int)); cudaMalloc(&out, n * sizeof(int));
    reversed<<<{blocks}, 256>>>(in, out, n);
}}
"""
    report = check_text(source)
    assert report.verdict == verdict, report.sentence
    assert ("only in launch" in report.sentence) == (verdict == "clean")


@pytest.mark.parametrize(
    ("store", "verdict"), [("tile[row][x] = in[x]", "needs arguments"), ("tile[row][0] = in[x]", "broken")]
)
def test_rows_that_are_shorter_than_a_chosen_block_need_a_launch(
    check_text: CheckText, store: str, verdict: str
) -> None:
    """A kernel for blocks of 16 threads, of which no chosen launch has so few."""
    source = f"""
__global__ void rows(const int *in, int *out) {{
    __shared__ int tile[16][16];
    int x = threadIdx.x;
    for (int row = 0; row < 16; row++) {store};
    __syncthreads();
    int sum = 0;
    for (int row = 0; row < 16; row++) sum += tile[row][x & 15];
    out[{LINEAR}] = sum;
}}
"""
    report = check_text(source)
    assert report.verdict == verdict, report.sentence


@pytest.mark.archs
def test_a_loop_that_chosen_contents_may_end_is_not_said_to_be_endless(check_text: CheckText) -> None:
    report = check_text("""\
__global__ void last(const int *next, int *out) {
    int i = threadIdx.x;
    while (next[i] != -1) i = next[i];
    out[threadIdx.x] = i;
}
""")
    assert report.verdict == "needs arguments"
    assert report.kernel["sentence"].startswith("loop that did not end in ")
    assert "did not end within the limit of instructions (launch " in report.kernel["findings"][0]["sentence"]


UNKNOWN_LAYOUT = """
_Pragma("pack(push, 1)")
struct P { char tag; float scale; const float *in; float *out; short n; };
_Pragma("pack(pop)")
__global__ void scale(P p) {
    int i = threadIdx.x;
    if (i < p.n) p.out[i] = p.scale * p.in[i];
}
"""


@pytest.mark.archs
def test_chosen_byte_of_a_structure_fits(process: Command) -> None:
    """What leads to more threads than a byte holds was refused as an option that nobody gave."""
    Path("scale.cu").write_text(UNKNOWN_LAYOUT, encoding="utf-8")
    outcome = process("check", "scale.cu")
    assert outcome.code == 0, outcome.err
    assert "scale: needs arguments" in outcome.out


def test_real_sizes_that_lack_memory_are_noted(check_text: CheckText) -> None:
    kernel = f"""__global__ void k(float *out, int n) {{
    int i = {LINEAR};
    if (i >= n) return;
    if (i > (1 << 20)) out[(long long)i * i] = i; else out[i] = i;
}}
void run(float *out) {{ int n = 1 << 22; k<<<(n + 255) / 256, 256>>>(out, n); }}
"""
    reason = "real sizes of launch 16384x256 not checked, because buffers need more than 64 MiB"
    assert reason in check_text(kernel).sentence

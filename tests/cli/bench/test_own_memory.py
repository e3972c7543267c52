"""Kernels that compute the same, of which one has scratch memory: a counter, a workspace, or a further number."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

# Each block doubles one row after another, given by the block or taken from a queue.
ROWS = """\
struct Twice { __host__ __device__ static int of(int v) { return 2 * v; } };
template <class T, class Op, int N> __global__ void rows_plain(const T *in, T *out, int rows) {
    out[blockIdx.x * N + threadIdx.x] = Op::of(in[blockIdx.x * N + threadIdx.x]);
}
template <class T, class Op, int N> __global__ void rows_queue(const T *in, T *out, int rows, unsigned *queue) {
    __shared__ unsigned row;
    for (;;) {
        if (threadIdx.x == 0) row = atomicAdd(queue, 1u);
        __syncthreads();
        if (row >= rows) return;
        out[row * N + threadIdx.x] = Op::of(in[row * N + threadIdx.x]);
        __syncthreads();
    }
}
struct Job { int *in, *plain, *queued; unsigned *queue; };
static void go_queue(Job *job) {
    cudaMemset(job->queue, 0, sizeof(unsigned));
    rows_queue<int, Twice, 64><<<2, 64>>>(job->in, job->queued, 5, job->queue);
}
int main() {
    Job job;
    int host[320];
    for (int i = 0; i < 320; i++) host[i] = i * 7 % 31;
    cudaMalloc(&job.in, sizeof host);
    cudaMalloc(&job.plain, sizeof host);
    cudaMalloc(&job.queued, sizeof host);
    cudaMalloc(&job.queue, sizeof(unsigned));
    cudaMemset(job.queue, 0, sizeof(unsigned));
    cudaMemset(job.queued, 255, sizeof host);
    cudaMemcpy(job.in, host, sizeof host, cudaMemcpyHostToDevice);
    rows_plain<int, Twice, 64><<<5, 64>>>(job.in, job.plain, 5);
    for (int k = 0; k < 3; k++) go_queue(&job);
}
"""
OWN = "only rows_queue<int, Twice, 64> has `queue_of_rows_queue`; compared is what all kernels write to `out`; "


@pytest.mark.archs
def test_a_kernel_with_a_counter_is_compared_with_one_without(process: Command) -> None:
    Path("rows.cu").write_text(ROWS, encoding="utf-8")
    outcome = process("bench", "rows.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert f"{OWN}`queue_of_rows_queue` is set again before each launch, which is not timed." in outcome.err
    assert "not timed:" not in outcome.err
    assert "same as rows_plain-int-Twice-64" in process("show", "run").out
    assert "results of later launches" not in outcome.err


@pytest.mark.archs
def test_a_counter_that_the_host_code_does_not_reset_is_named(bench: BenchCommand) -> None:
    outcome = bench(ROWS.replace("    cudaMemset(job->queue, 0, sizeof(unsigned));\n", ""))
    assert outcome.code == 0, outcome.err
    assert (
        "results of later launches, before which bench sets `queue_of_rows_queue` again, and the host code does not"
        in " ".join(outcome.err.split())
    )


@pytest.mark.archs
@pytest.mark.parametrize("named", [(), ("--kernel", "rows_queue", "--kernel", "rows_plain")])
def test_a_wrong_result_of_the_kernel_with_a_counter_differs(bench: BenchCommand, named: tuple[str, ...]) -> None:
    wrong = ROWS.replace("if (row >= rows) return;", "if (row >= rows - 1) return;")
    outcome = bench(wrong, *named)
    assert outcome.code in {1, 5}, outcome.err
    assert "does not write 64 of 320 elements of `out`" in outcome.err or "element 256" in outcome.err


SUMS = """\
__global__ void sums_plain(const int *in, int *out, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) out[i] = sum += in[i];
}
__global__ void sums_kept(const int *in, int *out, int n, int *work) {
    for (int i = 0; i < n; i++) out[i] = *work += in[i];
}
int main() {
    int host[32], *in, *one, *two, *work;
    for (int i = 0; i < 32; i++) host[i] = i * 7 % 31;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&one, sizeof host);
    cudaMalloc(&two, sizeof host);
    cudaMalloc(&work, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(work, 0, sizeof(int));
    sums_plain<<<1, 1>>>(in, one, 32);
    for (int k = 0; k < 3; k++) {
        RESET
        sums_kept<<<1, 1>>>(in, two, 32, work);
    }
}
"""


@pytest.mark.archs
def test_scratch_memory_keeps_the_contents_that_the_host_code_sets_before_each_launch(bench: BenchCommand) -> None:
    outcome = bench(SUMS.replace("RESET", "cudaMemset(work, 0, sizeof(int));"))
    assert outcome.code == 0, outcome.err
    kept = "results with other contents of `work_of_sums_kept`; results with other values of `n` than 32"
    assert f"not compared: {kept}; the contents of" in outcome.err


def test_scratch_memory_that_the_host_code_sets_once_has_other_contents_in_a_later_launch(bench: BenchCommand) -> None:
    assert bench(SUMS.replace("RESET", "")).code == 5


STEPS = """\
__global__ void scan_blocks(const int *in, int *out, int *sums, int n) {
    __shared__ int part[32];
    part[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i <= threadIdx.x; i++) sum += part[i];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
    if (threadIdx.x == 31) sums[blockIdx.x] = sum;
}
__global__ void scan_add(int *out, const int *sums, int n, int blocks) {
    for (int b = 0; b < blockIdx.x; b++) out[blockIdx.x * 32 + threadIdx.x] += sums[b];
}
__global__ void scan_serial(const int *in, int *out, int n) {
    for (int i = 0, sum = 0; i < n; i++) out[i] = sum += in[i];
}
int main() {
    int *in, *out, *sums, *serial;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    cudaMalloc(&sums, 8);
    cudaMalloc(&serial, 256);
    scan_blocks<<<2, 32>>>(in, out, sums, 64);
    scan_add<<<2, 32>>>(out, sums, 64, 2);
    scan_serial<<<1, 1>>>(in, serial, 64);
}
"""


@pytest.mark.archs
def test_a_kernel_whose_results_another_one_reads_is_not_compared(bench: BenchCommand) -> None:
    """It computes a part of the result, although its inputs and its output are those of the whole."""
    outcome = bench(STEPS)
    assert outcome.code == 0, outcome.err
    assert "same as" not in outcome.err
    assert "scan_add and scan_serial are not timed: no compared kernel has these parameters" in outcome.err


MAPS = """\
__global__ void {one}(const float *in, float *out, int n) {{ out[threadIdx.x] = in[threadIdx.x % n]; }}
__global__ void {two}(const float *in, float *out, int n{more}) {{ out[threadIdx.x] = {value}; }}
__global__ void fill(int *out) {{ out[threadIdx.x] = 1; }}
int main() {{
    float *in, *one, *two, *own;
    int *ints;
    cudaMalloc(&in, 128);
    cudaMalloc(&one, 128);
    cudaMalloc(&two, 128);
    cudaMalloc(&own, 128);
    cudaMalloc(&ints, 128);
    {one}<<<1, 32>>>(in, one, 32);
    {two}<<<1, 32>>>(in, two, 32{passed});
    fill<<<1, 32>>>(ints);
}}
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("two", "more", "value", "passed", "is_compared"),
    [
        ("copy_scratch", ", float *own", "own[threadIdx.x] = in[threadIdx.x % n]", ", own", True),
        ("negate", ", float *own", "-(own[threadIdx.x] = in[threadIdx.x])", ", own", False),
        ("copy_scaled", ", float factor", "factor * in[threadIdx.x]", ", 2.f", False),
        ("copy_sum", ", const float *own", "in[threadIdx.x] + own[threadIdx.x]", ", own", False),
        ("copy_period", ", int period", "in[threadIdx.x % period]", ", 32", True),
    ],
)
def test_only_kernels_that_do_the_same_are_compared(
    bench: BenchCommand, two: str, more: str, value: str, passed: str, *, is_compared: bool
) -> None:
    outcome = bench(MAPS.format(one="copy_plain", two=two, more=more, value=value, passed=passed))
    assert outcome.code == 0, outcome.err
    assert ("same as copy_plain" in outcome.err) == is_compared
    assert (f"{two} and fill are not timed" in outcome.err) == (not is_compared)


@pytest.mark.archs
def test_memory_that_another_kernel_fills_before_is_an_input(bench: BenchCommand) -> None:
    """Its contents are not known: the kernels would differ."""
    outcome = bench("""
__global__ void fill(float *table) { table[threadIdx.x] = threadIdx.x; }
__global__ void scale_table(const float *in, float *out, float *table) {
    out[threadIdx.x] = in[threadIdx.x] * table[threadIdx.x];
    if (threadIdx.x == 0) table[64] = 1;
}
__global__ void scale_plain(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] * threadIdx.x; }
int main() {
    float *in, *out, *other, *table;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    cudaMalloc(&other, 256);
    cudaMalloc(&table, 260);
    fill<<<1, 64>>>(table);
    scale_table<<<1, 64>>>(in, out, table);
    scale_plain<<<1, 64>>>(in, other);
}
""")
    assert "INCORRECT" not in outcome.err
    assert "not timed: no compared kernel has these parameters" in outcome.err

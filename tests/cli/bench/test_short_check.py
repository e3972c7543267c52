"""The short check before kernels are timed: each kernel has its part, and other command lines decide nothing."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

HEAVY = """\
__global__ void one(const float *in, float *out, int n) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[(threadIdx.x + k) % 32];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
__global__ void two(const float *in, float *out, int n) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[(threadIdx.x + k) % 32];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
int main() {
    float *in, *a, *b;
    cudaMalloc(&in, 128);
    cudaMalloc(&a, 8 * 128);
    cudaMalloc(&b, 8 * 128);
    one<<<8, 32>>>(in, a, 200);
    two<<<8, 32>>>(in, b, 200);
}
"""


@pytest.mark.archs
def test_the_first_of_two_heavy_kernels_leaves_half_of_the_budget(process: Command) -> None:
    Path("sums.cu").write_text(HEAVY, encoding="utf-8")
    outcome = process("bench", "sums.cu", "--output", "run", "--budget", "0.01")
    assert outcome.code == 0, outcome.err
    assert "Checked: clean (2 kernels" in outcome.err
    assert "not checked" not in outcome.err


# Rows that the blocks do not divide leave a part of the shared memory unwritten, which the thread of another row reads.
ROWS = """\
#include <cstdlib>
__global__ void copy(float *out, const float *in, int n) {
    if (blockIdx.x * 32 + threadIdx.x < n) out[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
}
__global__ void turn(float *out, const float *in, int n) {
    __shared__ float row[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i < n) row[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[i] = row[31 - threadIdx.x];
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 256;
    float *in, *a, *b;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    copy<<<(n + 31) / 32, 32>>>(a, in, n);
    turn<<<(n + 31) / 32, 32>>>(b, in, n);
}
"""


@pytest.mark.archs
def test_a_kernel_that_other_command_lines_leave_undecided_is_compared(bench: BenchCommand) -> None:
    outcome = bench(ROWS)
    assert "turn: needs arguments, uninitialized read in launch" in outcome.err
    assert "not timed:" not in outcome.err
    assert outcome.code == 5  # it turns each row


def test_it_is_left_out_where_the_given_command_line_is_the_cause(bench: BenchCommand) -> None:
    outcome = bench(ROWS, "--host-args", "100")
    assert outcome.code == 1
    assert "turn is not timed: broken, sums.cu:10 " in outcome.err

"""Plain reads before loops of compare-and-swap, as in the programming guide: doubtful where only the loop uses them."""

from pathlib import Path

import pytest

from tests.checker.inputs.test_chosen_values import verdicts

FILE = """#include <cuda_runtime.h>
__device__ double add(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void summed(double *sum, double *other, const double *in) {
    SHARED
    BODY
}
int main() {
    double *sum, *in, *other;
    cudaMalloc(&sum, 64 * sizeof(double));
    cudaMalloc(&other, 64 * sizeof(double));
    cudaMalloc(&in, 256 * sizeof(double));
    cudaMemset(sum, 0, 64 * sizeof(double));
    summed<<<4, 8>>>(sum, other, in);
}
"""
SHARED = "__shared__ double part; if (threadIdx.x == 0) part = 0; __syncthreads();"


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("add(sum, in[blockIdx.x * 8 + threadIdx.x]);", "doubtful"),
        ("add(&sum[threadIdx.x % 8], in[threadIdx.x]); add(&sum[8], 1);", "doubtful"),
        ("add(&part, 2); __syncthreads(); if (threadIdx.x == 0) sum[blockIdx.x] = part;", "doubtful"),
        ("double seen = *sum; add(sum, 2); other[threadIdx.x] = seen;", "broken"),
        ("double seen = *sum; add(sum, 2); if (seen < 8) other[threadIdx.x] = 1;", "broken"),
        ("double seen = *sum; atomicAdd(sum, seen + 2);", "broken"),
    ],
)
def test_a_read_that_only_a_loop_of_compare_and_swap_uses_is_a_doubt(
    tmp_path: Path, kernel_cache: Path, body: str, verdict: str
) -> None:
    text = FILE.replace("BODY", body).replace("SHARED", SHARED if "part" in body else "")
    assert verdicts(text, tmp_path, kernel_cache) == {"summed": verdict}

"""A launch that takes too many instructions runs again with fewer blocks and iterations."""

from pathlib import Path

import pytest

from shflbench.checker.runs import budget, kernel_runs
from tests.checker.inputs.test_derived_values import verdicts

# With a barrier of the grid, each step reads what the step before wrote; with one of the block, blocks race.
STEPS = """
__global__ void NAME(float *a, float *b, int n, int steps) {
    for (int s = 0; s < steps; s++) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            b[i] = a[i > 0 ? i - 1 : 0] + a[i];
        float *t = a; a = b; b = t;
        BARRIER
    }
}
"""
MAIN = """
int main() {
    int n = 1024, count = 100000; float *a, *b;
    cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));
    void *arguments[] = {&a, &b, &n, &count};
    cudaLaunchCooperativeKernel((void *)of_grid, dim3(16), dim3(64), arguments, 0, 0);
    of_block<<<16, 64>>>(a, b, n, count);
}
"""


def test_a_race_between_blocks_shows_where_all_of_them_have_work(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 1000)
    monkeypatch.setattr(budget, "MOST_PATIENT", 1000)
    of_grid = STEPS.replace("NAME", "of_grid").replace("BARRIER", "cooperative_groups::this_grid().sync();")
    of_block = STEPS.replace("NAME", "of_block").replace("BARRIER", "__syncthreads();")
    text = f"#include <cooperative_groups.h>{of_grid}{of_block}{MAIN}"
    assert verdicts(text, tmp_path, kernel_cache) == {"of_grid": "clean", "of_block": "broken"}


# Each cell has as many members as its count says: with counts up to the number of threads, it takes many instructions.
COUNTED = """
__global__ void counted(const int *count, const float *in, float *out, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < 64; c++)
        for (int m = 0; m < count[c]; m++) sum += in[m] * c;
    if (i < cells) out[i] = sum;
}
"""


def test_numbers_of_iterations_in_memory_are_one_before_sizes_get_smaller(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 3000)
    monkeypatch.setattr(budget, "MOST_PATIENT", 3000)
    assert verdicts(COUNTED, tmp_path, kernel_cache) == {"counted": "clean"}

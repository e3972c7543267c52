"""A launch that takes too many instructions runs again with fewer blocks and iterations."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.checker.runs import budget, kernel_runs
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels
from tests.checker.inputs.test_chosen_values import verdicts

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


@pytest.mark.archs
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


# With another grid than that of `n`, two threads write one element.
PAIRS = """
__global__ void pairs(const float *in, float *out, int n) {
    int blocks = (n + 63) / 64, i = blockIdx.y * 64 + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < n; j++) sum = sum * in[j] + i;
    out[i * blocks + blockIdx.x] = sum;
}
void run(const float *in, float *out, int n) {
    dim3 grid((n + 63) / 64, (n + 63) / 64);
    pairs<<<grid, 64>>>(in, out, n);
}
"""


def test_the_smallest_launch_runs_in_place_of_one_that_does_not_end(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 450)
    monkeypatch.setattr(budget, "MOST_PATIENT", 450)
    monkeypatch.setattr(budget, "MOST_WORK", 1000)  # of which the first launch takes so much that no further one begins
    file = tmp_path / "k.cu"
    file.write_text(PAIRS, encoding="utf-8")
    (report,) = check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache))).kernels
    assert report.verdict == "clean"
    assert "launch 4x4:64 did not end within the limit of instructions, a shorter one did" in report.sentence
    assert "1x64" in [str(launch.shape) for launch in report.launches]

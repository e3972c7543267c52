"""Programs whose host code or launches would take a command very long end in a result or in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Outcome

SECONDS = 300  # in which a command ends that ends at all, also beside other work

# Each launch gets what all launches before it left: the number of ways back to the first one doubles with each.
REPEATED = """
#include <cuda_runtime.h>
struct View { const float *data; int rows, cols; };
__global__ void rows_sum(View a, const float *x, float *y, int first) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= a.rows) return;
    float sum = y[r];
    for (int c = first % 2; c < a.cols; ++c) sum += a.data[r * a.cols + c] * x[c];
    y[r] = sum;
}
int main() {
    const int rows = 64, cols = 8;
    float *a = new float[rows * cols], *da, *dx, *dy;
    for (int i = 0; i < rows * cols; ++i) a[i] = i;
    cudaMalloc(&da, sizeof(float) * rows * cols);
    cudaMalloc(&dx, sizeof(float) * cols);
    cudaMalloc(&dy, sizeof(float) * rows);
    cudaMemcpy(da, a, sizeof(float) * rows * cols, cudaMemcpyHostToDevice);
    View view{da, rows, cols};
    for (int i = 0; i < 300; ++i) rows_sum<<<1, 64>>>(view, dx, dy, i);
}
"""
# Bytes taken for doubles are of all sizes, for which a multiplication and an addition took 50 ms per 1,000 threads.
ALL_SIZES = """
__global__ void step(char *bytes) {
    double *x = reinterpret_cast<double *>(bytes);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double factor = x[i], sum = factor;
    for (int k = 0; k < 800; ++k) sum = factor * sum + factor;
    x[i] = sum;
}
int main() {
    char *bytes;
    cudaMalloc(&bytes, 4 * 256 * sizeof(double));
    step<<<4, 256>>>(bytes);
}
"""


def run(folder: Path, text: str, *words: str) -> Outcome:
    """Call `shflbench` with a file as a process of its own, which ends when the test does."""
    (folder / "k.cu").write_text(text, encoding="utf-8")
    place = {**os.environ, "SHFLBENCH_CACHE": str(folder / "cache"), "CUDA_VISIBLE_DEVICES": "", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "shflbench", words[0], "k.cu", *words[1:]]
    done = subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True, timeout=SECONDS, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.archs
@pytest.mark.parametrize("words", [("bench", "--device", "none"), ("advise",), ("check",)])
def test_a_program_that_repeats_its_launches_ends(tmp_path: Path, words: tuple[str, ...]) -> None:
    outcome = run(tmp_path, REPEATED, *words)
    assert outcome.code in {0, 2}, outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.archs
def test_doubles_of_all_sizes_take_no_longer_than_others(tmp_path: Path) -> None:
    before = os.times().children_user
    outcome = run(tmp_path, ALL_SIZES, "check", "--compiler", "nvrtc")
    assert "no hazard in 1 launch (4x256)\n" in outcome.out, outcome.out
    assert os.times().children_user - before < 15  # seconds; 4 as measured, 30 by exact rationals

"""Numbers of the command line that a program also runs without."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

FILE = """#include <cuda_runtime.h>
#include <cstdlib>
__global__ void guarded(float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 1;
}
__global__ void unguarded(float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += 1;
}
__global__ void looked_up(const float *table, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += table[i];
}
__global__ void turned(float *y, int n) {
    __shared__ float s[256];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        s[threadIdx.x] = y[i];
        __syncthreads();
        y[i] = s[(threadIdx.x + 1) % 256];
    }
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    float *y, *table;
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&table, 20000 * sizeof(float));
    cudaMemset(y, 0, n * sizeof(float));
    cudaMemset(table, 0, 20000 * sizeof(float));
    guarded<<<(n + 255) / 256, 256>>>(y, n);
    unguarded<<<(n + 255) / 256, 256>>>(y);
    looked_up<<<(n + 255) / 256, 256>>>(table, y, n);
    turned<<<32, 256>>>(y, n);
}
"""


@pytest.mark.archs
def test_numbers_other_than_the_default_show_races_and_missing_guards(tmp_path: Path, kernel_cache: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(FILE, encoding="utf-8")
    report = check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False))
    assert {kernel.name: str(kernel.verdict) for kernel in report.kernels} == {
        "guarded": "clean",
        "unguarded": "needs arguments",  # the program may take multiples of 256 only
        "looked_up": "clean",  # that it takes no more than 20000 follows from its default
        "turned": "broken",
    }
    _, unguarded, _, turned = report.kernels
    assert "with chosen argv[1] = 1000; to decide, give --host-args" in unguarded.sentence
    assert any("argv[1] = 65536" in launch.note for launch in turned.launches)

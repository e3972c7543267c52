"""Accesses beyond a buffer of chosen size that lie in the buffer of another pointer, or behind a moved pointer."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.checker.report import KernelReport
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

# `a` has an element per thread at first, and what it reads behind them lies in `out`.
FAR = """__global__ void far(const float *a, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[6147 + i];
    for (int j = i; j < 8192; j += 256) atomicAdd(&out[j], x);
}
void run(const float *a) {
    float *out;
    cudaMalloc(&out, 8192 * sizeof(float));
    cudaMemset(out, 0, 8192 * sizeof(float));
    far<<<4, 64>>>(a, out);
}
"""


def report_on(text: str, folder: Path, cache: Path) -> KernelReport:
    file = folder / "k.cu"
    file.write_text(text, encoding="utf-8")
    (report,) = check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=cache), outputs=False)).kernels
    return report


def test_a_buffer_grows_where_accesses_beyond_it_race_in_another_one(tmp_path: Path, kernel_cache: Path) -> None:
    assert report_on(FAR, tmp_path, kernel_cache).verdict == "clean"


# As where one allocation has the coordinates of all atoms: those along y begin behind those along x.
BEHIND = """#include <vector>
struct Atoms { float *x; int count; };
__global__ void move(float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 1;
}
void run(Atoms &atoms) { move<<<(atoms.count + 127) / 128, 128>>>(atoms.x + atoms.count, atoms.count); }
"""


def test_sizes_that_guards_suggest_are_behind_the_pointer(tmp_path: Path, kernel_cache: Path) -> None:
    report = report_on(BEHIND, tmp_path, kernel_cache)
    assert report.verdict == "clean"
    assert "out of bounds" not in report.sentence


# A block has threads in all planes, so that no number of blocks needs less memory than the emulator has for whole ones.
PLANES = """__global__ void planes(float *out, const float *in) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, z = threadIdx.z;
    if (x < 1000000) out[z * 1000000 + x] = 2 * in[z * 1000000 + x];
}
int main() {
    float *out, *in;
    cudaMalloc(&out, 64000000 * sizeof(float));
    cudaMalloc(&in, 64000000 * sizeof(float));
    planes<<<62500, dim3(16, 1, 64)>>>(out, in);
}
"""


@pytest.mark.archs
def test_a_launch_that_lacks_memory_counts_for_nothing_if_blocks_of_it_ran(tmp_path: Path, kernel_cache: Path) -> None:
    report = report_on(PLANES, tmp_path, kernel_cache)
    assert report.verdict == "clean"
    assert [item.shape for item in report.launches] == ["62500:16x1x64"]

"""Loads of tiles beyond the edge of a matrix whose stores are guarded, and whose grid the host code rounds up."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

FILE = """
__global__ void turned(const float* in, float* out, int m, int n) {
    __shared__ float tile[32][33];
    int t = threadIdx.x, row = blockIdx.y * 32, column = blockIdx.x * 32;
    for (int i = 0; i < 32; i++) tile[t][i] = LOAD;
    __syncthreads();
    for (int r = 0; r < 32; r++)
        if (row + r < m && column + t < n) out[(row + r) * n + column + t] = tile[r][t];
}
void turn(const float* in, float* out, int m, int n) {
    dim3 grid((n + 31) / 32, (m + 31) / 32);
    turned<<<grid, 32>>>(in, out, m, n);
}
"""
UNGUARDED = "in[(row + t) * n + column + i]"
GUARDED = f"row + t < m && column + i < n ? {UNGUARDED} : 0"


@pytest.mark.parametrize(("load", "verdict"), [(UNGUARDED, "needs arguments"), (GUARDED, "clean")])
def test_a_load_of_a_tile_without_a_guard_needs_the_size_of_the_buffer(
    tmp_path: Path, kernel_cache: Path, load: str, verdict: str
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(FILE.replace("LOAD", load), encoding="utf-8")
    options = FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False)
    (report,) = check_file(file, options).kernels
    assert report.verdict == verdict, report.reason
    assert load == GUARDED or ("out of bounds" in report.reason and "--arg in=" in report.reason)

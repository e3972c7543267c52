"""Accesses beyond the last element where the host code rounds a grid up, and where threads beyond it leave gaps."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels
from tests.checker.inputs.test_chosen_values import verdicts

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


@pytest.mark.archs
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


SCALED = """
__global__ void scaled(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    GUARD
    out[i] = in[i] / n;
}
void scale(float *out, const float *in, int n) {
    CHECK
    scaled<<<GRID, 256>>>(out, in, n);
}
"""


@pytest.mark.parametrize(
    ("guard", "check", "grid", "verdict"),
    [
        ("", "", "(n + 255) / 256", "needs arguments"),
        ("if (i >= n) return;", "", "(n + 255) / 256", "clean"),
        ("", "", "n / 256", "clean"),
        ("", "if (n % 256 != 0) return;", "(n + 255) / 256", "clean"),
        ("", "TORCH_CHECK(n % 256 == 0);", "(n + 255) / 256", "clean"),
    ],
)
def test_a_number_that_a_grid_counts_in_parts_is_the_size_where_no_guard_is(
    tmp_path: Path, kernel_cache: Path, guard: str, check: str, grid: str, verdict: str
) -> None:
    text = SCALED.replace("GUARD", guard).replace("CHECK", check).replace("GRID", grid)
    assert verdicts(text, tmp_path, kernel_cache) == {"scaled": verdict}


PROGRAM = """#include <cstdlib>
__global__ void twice(float *x) { int i = blockIdx.x * 64 + threadIdx.x; x[i] *= 2; }
int main(int argc, char **argv) {
    int n = NUMBER;
    CHECK
    float *x;
    cudaMalloc(&x, BYTES);
    twice<<<GRID, 64>>>(x);
}
"""
UP = "(n + 63) / 64"


@pytest.mark.parametrize(
    ("number", "check", "size", "grid", "verdict"),
    [
        ("atoi(argv[1])", "", "n * 4", UP, "broken"),
        ("atoi(argv[1])", "if (n % 64) return 1;", "n * 4", UP, "clean"),
        ("atoi(argv[1])", "", "n * 4", "n / 64", "clean"),
        ("atoi(argv[1])", "", f"{UP} * 256", UP, "clean"),
        ("argc > 1 ? atoi(argv[1]) : 1024", "", "n * 4", UP, "needs arguments"),
        ("1024", "", "n * 4", UP, "clean"),
    ],
)
def test_a_size_of_the_command_line_may_end_in_a_part_of_a_block_and_a_constant_may_not(
    tmp_path: Path, kernel_cache: Path, number: str, check: str, size: str, grid: str, verdict: str
) -> None:
    text = PROGRAM.replace("NUMBER", number).replace("CHECK", check).replace("BYTES", size).replace("GRID", grid)
    assert verdicts(text, tmp_path, kernel_cache) == {"twice": verdict}


PACKED = """
__global__ void packed(const float *in, float *out, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    LOAD
    __syncthreads();  // so that the compiler does not move the load behind the guard
    if (i + 3 < n) *reinterpret_cast<float4 *>(&out[i]) = value;
}
"""
VALUE = "*reinterpret_cast<const float4 *>(&in[i]);"


@pytest.mark.parametrize(
    ("load", "verdict"),
    [
        (f"float4 value = {VALUE}", "needs arguments"),
        (f"float4 value = make_float4(0, 0, 0, 0); if (i + 3 < n) value = {VALUE}", "clean"),
    ],
)
def test_elements_of_a_vector_load_are_those_of_the_guard(
    tmp_path: Path, kernel_cache: Path, load: str, verdict: str
) -> None:
    assert verdicts(PACKED.replace("LOAD", load), tmp_path, kernel_cache) == {"packed": verdict}


TURNED = """
__global__ void turned(const int *in, int *out, int n) {
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    STORE
    __syncthreads();
    if (i < n) out[i] = s[63 - threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("store", "verdict"),
    [
        ("if (i < n) s[threadIdx.x] = in[i];", "needs arguments"),
        ("s[threadIdx.x] = i < n ? in[i] : 0;", "clean"),
    ],
)
def test_what_threads_beyond_a_size_leave_unwritten_needs_the_size(
    tmp_path: Path, kernel_cache: Path, store: str, verdict: str
) -> None:
    assert verdicts(TURNED.replace("STORE", store), tmp_path, kernel_cache) == {"turned": verdict}


ENDED = """
__global__ void counted(const int *in, int *out, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
__global__ void numbered(int *next, int *out, int n) {
    __shared__ int first;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (threadIdx.x == 0) first = atomicAdd(next, blockDim.x);
    __syncthreads();
    out[first + threadIdx.x] = i;
}
void count(const int *in, int *out, int *next, int n) {
    counted<<<(n + 127) / 128, 128>>>(in, out, n);
    numbered<<<(n + 127) / 128, 128>>>(next, out, n);
}
"""


def test_threads_that_end_before_a_barrier_beside_atomics_are_no_fault(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(ENDED, tmp_path, kernel_cache) == {"counted": "doubtful", "numbered": "doubtful"}

"""Launches, sizes and contents that nobody gave: they are values that a correct kernel supports."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

BATCHED = """__global__ void scale(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, batch = blockIdx.z;
    if (i < n) out[batch * n + i] = 2 * in[batch * n + i] + batch;
}"""


def verdicts(text: str, folder: Path, cache: Path) -> dict[str, str]:
    """Return the verdicts on the kernels of a file, by name."""
    file = folder / "k.cu"
    file.write_text(text, encoding="utf-8")
    report = check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=cache), outputs=False))
    return {kernel.name: str(kernel.verdict) for kernel in report.kernels}


def test_a_batch_per_block_along_z_is_clean_with_blocks_of_one_dimension(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(BATCHED, tmp_path, kernel_cache) == {"scale": "clean"}


SMOOTH = """__global__ void NAME(const float *in, float *out, int n) {
    __shared__ float s[256];
    for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
        int i = base + threadIdx.x;
        s[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads();
        if (i < n) out[i] = s[threadIdx.x] + s[(threadIdx.x + 1) % 256];
        END
    }
}
"""
# Both loops have as many iterations as the array in shared memory allows.
STAGED = """__global__ void staged(const float *in, float *out, int n) {
    __shared__ float s[256];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i];
}
"""


def test_a_loop_that_steps_by_the_grid_runs_more_than_once(tmp_path: Path, kernel_cache: Path) -> None:
    sound = SMOOTH.replace("NAME", "sound").replace("END", "__syncthreads();")
    broken = SMOOTH.replace("NAME", "broken").replace("END", "")
    text = sound + broken + STAGED
    assert verdicts(text, tmp_path, kernel_cache) == {"sound": "clean", "broken": "broken", "staged": "clean"}


ROWS = """__global__ void sums(const float *in, float *out, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int c = lane; c < columns; c += 32) sum += in[row * columns + c];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[row] = sum;
}
__global__ void filled(float *out, int rows, int columns) {
    int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int c = lane; warp < rows && c < columns; c += 32) out[warp * columns + c] = 1;
}
__global__ void broken(float *out, int rows, int columns) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int c = lane; warp < rows && c < columns; c += 32) out[warp * 32 + lane] = c + blockIdx.x;
}
"""


def test_a_row_per_warp_is_judged_in_blocks_of_whole_warps(tmp_path: Path, kernel_cache: Path) -> None:
    judged = verdicts(ROWS, tmp_path, kernel_cache)
    assert judged == {"sums": "clean", "filled": "clean", "broken": "broken"}


# A warp per row of a block of two dimensions: `together` has one row of shared memory for all of its warps.
WARP_ROWS = """__device__ float sum(float x) {
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
    return x;
}
__global__ void rows(const float *in, float *out, int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float x = 0;
    for (int c = threadIdx.x; c < columns; c += 32) x += in[row * columns + c];
    x = sum(x);
    if (threadIdx.x == 0) out[row] = x;
}
__global__ void together(const float *in, float *out, int rows) {
    __shared__ float s[32];
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    s[threadIdx.x] = in[row * 32 + threadIdx.x];
    float x = sum(s[31 - threadIdx.x]);
    if (threadIdx.x == 0) out[row] = x;
}
"""


def test_a_row_of_a_block_is_a_warp_where_all_its_lanes_exchange_values(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(WARP_ROWS, tmp_path, kernel_cache) == {"rows": "clean", "together": "broken"}


INDEXED = """__global__ void rows(const int *start, int *out, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) for (int j = start[row]; j < start[row + 1]; j++) out[j] = row;
}
__global__ void bins(const int *keys, int *count) {
    if (threadIdx.x < 64) count[keys[threadIdx.x] & 7] += 1;
}
__global__ void scatter(const int *to, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[to[i]] = in[i];
}
__global__ void ranges(const int *base, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[base[i] + i] = i;
}
"""


def test_indices_are_sorted_where_they_limit_ranges_and_else_also_a_permutation(
    tmp_path: Path, kernel_cache: Path
) -> None:
    judged = verdicts(INDEXED, tmp_path, kernel_cache)
    assert judged == {"rows": "clean", "bins": "broken", "scatter": "clean", "ranges": "clean"}


BITS = """__global__ void rotate(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(i + 1) & (n - 1)] = in[i];
}
__global__ void rows(const float *in, float *out, int bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((i & ((1 << bits) - 1)) == 0) out[i >> bits] = in[i];
}
__global__ void broken(const float *in, float *out, int bits) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i >> bits] = in[i] + i;
}
"""


def test_a_mask_is_one_less_than_a_power_of_two_and_a_shift_has_few_bits(tmp_path: Path, kernel_cache: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(BITS, encoding="utf-8")
    report = check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False))
    rotate, rows, broken = report.kernels
    assert [kernel.verdict for kernel in (rotate, rows, broken)] == ["clean", "clean", "needs arguments"]
    assert broken.causes == ("bits",)


ARRIVALS = """__global__ void wait(int *out, volatile int *arrived, int blocks) {
    if (threadIdx.x == 0) {
        atomicAdd((int *)arrived, 1);
        while (*arrived < blocks);
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void last(int *out, unsigned *ticket, unsigned blocks) {
    if (threadIdx.x == 0 && atomicAdd(ticket, 1) == blocks - 1) *out = 1;
}
int main() {
    int *out, *arrived;
    unsigned *ticket;
    cudaMalloc(&out, 64 * 128 * sizeof(int));
    cudaMalloc(&arrived, sizeof(int));
    cudaMalloc(&ticket, sizeof(unsigned));
    cudaMemset(arrived, 0, sizeof(int));
    cudaMemset(ticket, 0, sizeof(unsigned));
    wait<<<64, 128>>>(out, arrived, 64);
    last<<<64, 128>>>(out, ticket, 64);
}
"""


@pytest.mark.archs
def test_in_a_grid_that_is_scaled_down_all_blocks_arrive(tmp_path: Path, kernel_cache: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(ARRIVALS, encoding="utf-8")
    report = check_file(file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False))
    assert [kernel.verdict for kernel in report.kernels] == ["clean", "clean"]
    assert not any("never ran" in kernel.sentence for kernel in report.kernels)


RANGE = """__global__ void moved(const float *in, float *out, int first, int last) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + first;
    if (i < last) out[i] = in[i];
}
__global__ void inner(const float *in, float *out, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width && i < n - width) out[i] = in[i - width] + in[i + width];
}
__global__ void shared(float *out, int from, int to) {
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x + from;
    s[threadIdx.x] = i;
    if (i < to) out[i] = s[blockDim.x - 1 - threadIdx.x];
}
"""


def test_a_range_of_indices_begins_before_it_ends(tmp_path: Path, kernel_cache: Path) -> None:
    expected = {"moved": "clean", "inner": "clean", "shared": "broken"}
    assert verdicts(RANGE, tmp_path, kernel_cache) == expected


OF_NVCC = """#ifdef __NVCC__
typedef float Number;
#else
typedef float4 Number;
#endif
__global__ void twice(Number *x) { x[threadIdx.x] *= 2; }
"""


def test_nvrtc_takes_the_branch_of_nvcc(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(OF_NVCC, tmp_path, kernel_cache) == {"twice": "clean"}

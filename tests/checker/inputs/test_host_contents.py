"""Contents that host code fills member by member, or copies to variables of the device, are those that kernels read."""

from pathlib import Path

from tests.checker.inputs.test_derived_values import verdicts

MAPS = """#include <cuda_runtime.h>
struct Row { int first, count; };
__constant__ int c_map[64], c_twice[64];
__global__ void permuted(const float *in, float *out) { out[c_map[threadIdx.x]] = in[threadIdx.x]; }
__global__ void scattered(const float *in, float *out) { out[c_twice[threadIdx.x]] = in[threadIdx.x]; }
__global__ void apart(const Row *rows, int *out) {
    Row row = rows[blockIdx.x];
    for (int i = threadIdx.x; i < row.count; i += blockDim.x) out[row.first + i] = i + blockIdx.x;
}
__global__ void together(const Row *rows, int *out) {
    Row row = rows[blockIdx.x];
    for (int i = threadIdx.x; i < row.count; i += blockDim.x) out[row.first + i] = i + blockIdx.x;
}
int main() {
    float *in, *out; Row rows[8], *d, *e; int map[64], *o;
    cudaMalloc(&in, 64 * sizeof(float)); cudaMalloc(&out, 64 * sizeof(float));
    for (int i = 0; i < 64; i++) map[i] = 63 - i;
    cudaMemcpyToSymbol(c_map, map, sizeof(map));
    permuted<<<1, 64>>>(in, out);
    for (int i = 0; i < 64; i++) map[i] = i / 2;
    cudaMemcpyToSymbol(c_twice, map, sizeof(map));
    scattered<<<1, 64>>>(in, out);
    cudaMalloc(&d, sizeof(rows)); cudaMalloc(&e, sizeof(rows)); cudaMalloc(&o, 320 * sizeof(int));
    for (int i = 0; i < 8; i++) { rows[i].first = 40 * i; rows[i].count = 40; }
    cudaMemcpy(d, rows, sizeof(rows), cudaMemcpyHostToDevice);
    apart<<<8, 32>>>(d, o);
    for (int i = 0; i < 7; i++) rows[i].count = 41;
    cudaMemcpy(e, rows, sizeof(rows), cudaMemcpyHostToDevice);
    together<<<8, 32>>>(e, o);
}
"""


def test_indices_that_host_code_copies_decide_whether_threads_race(tmp_path: Path, kernel_cache: Path) -> None:
    expected = {"permuted": "clean", "scattered": "broken", "apart": "clean", "together": "broken"}
    assert verdicts(MAPS, tmp_path, kernel_cache) == expected

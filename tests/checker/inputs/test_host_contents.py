"""Contents that host code fills member by member, or copies to variables of the device, are those that kernels read."""

from pathlib import Path

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels
from tests.checker.inputs.test_chosen_values import verdicts

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


READ = """#include <cuda_runtime.h>
__constant__ int c_map[64], c_width;
void read_it(int *map);
__global__ void moved(const float *in, float *out) { out[c_map[threadIdx.x]] = in[threadIdx.x]; }
__global__ void rows(const float *in, float *out) { out[blockIdx.x * c_width + threadIdx.x] = in[threadIdx.x]; }
__global__ void pairs(const float *in, float *out) { out[threadIdx.x / 2] = in[threadIdx.x] + c_map[threadIdx.x]; }
int main() {
    float *in, *out; int map[64];
    cudaMalloc(&in, 64 * sizeof(float)); cudaMalloc(&out, 1024 * sizeof(float));
    read_it(map); cudaMemcpyToSymbol(c_map, map, sizeof(map));
    cudaMemcpyToSymbol(c_width, map, sizeof(int));
    moved<<<1, 64>>>(in, out);
    rows<<<4, 64>>>(in, out);
    pairs<<<1, 64>>>(in, out);
}
"""


def test_contents_of_variables_that_host_code_reads_elsewhere_are_chosen(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(READ, tmp_path, kernel_cache) == {"moved": "clean", "rows": "clean", "pairs": "broken"}


def test_a_variable_of_the_device_takes_the_contents_of_a_buffer(tmp_path: Path, kernel_cache: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(READ, encoding="utf-8")
    judged = []
    for fill in ("index", "0"):
        arguments = parse_arguments([f"c_map=i32[64]:{fill}"])
        options = FileOptions(
            kernels=("moved",),
            compilers=Compilers(kernels.tools(), cache=kernel_cache),
            given=LaunchOptions(arguments=arguments),
        )
        judged += [str(report.verdict) for report in check_file(file, options).kernels]
    assert judged == ["clean", "broken"]

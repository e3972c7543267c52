"""Contents that loops of the host code compute: the first ones are timed, repeated."""

from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

COUNTED = """#include <cstdint>
#include <vector>
__global__ void count(const uint32_t* data, int words, unsigned* bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[data[i] & 255], 1u);
        atomicAdd(&bins[data[i] >> 24], 1u);
    }
}
int main() {
    const int n = 1 << 21;
    std::vector<uint8_t> data(n);
    uint32_t x = 2463534242u;
    for (auto& v : data) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        v = uint8_t(x >> 11);
    }
    std::vector<unsigned> want(256, 0);
    for (uint8_t v : data) ++want[v];
    uint32_t* d;
    unsigned* bins;
    cudaMalloc(&d, n);
    cudaMalloc(&bins, 1024);
    cudaMemset(bins, 0, 1024);
    cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice);
    count<<<64, 256>>>(d, n / 64, bins);
}
"""


@pytest.mark.archs
def test_bins_are_counted_of_the_bytes_that_the_host_code_begins_with(process: Command) -> None:
    Path("sums.cu").write_text(COUNTED, encoding="utf-8")
    outcome = process("bench", "sums.cu", "--output", "run", "--no-check")
    assert outcome.code == 0
    assert "contents of data = the first elements of the host code, repeated (chosen)." in outcome.err
    assert "give them by --arg data=FILE.npy" not in outcome.err
    # The loops over `v` launch nothing, so that its values are no sizes.
    assert {row.case_id for row in read_run(Path("run")).rows} == {"sums/count/i32/64x256/1"}


@pytest.mark.archs
def test_floats_that_become_indices_are_those_of_the_host_code(bench: BenchCommand) -> None:
    text = COUNTED.replace("const uint32_t* data", "const float* data").replace("uint32_t* d;", "float* d;")
    text = text.replace("data[i] & 255", "int(data[i] * 255)").replace("data[i] >> 24", "int(data[i] * 127)")
    text = text.replace("std::vector<uint8_t> data(n)", "std::vector<float> data(n / 4)")
    text = text.replace("uint8_t(x >> 11)", "float(x >> 8) / 16777216.0f").replace("uint8_t v : data", "float v : data")
    outcome = bench(text.replace("++want[v]", "++want[int(v)]"), "--no-check")
    assert outcome.code == 0, outcome.err
    assert "contents of data = the first elements of the host code, repeated (chosen)." in outcome.err

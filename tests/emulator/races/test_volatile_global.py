"""Volatile accesses to global memory: code that relies on lockstep execution, and threads that wait for one another."""

from pathlib import Path

import pytest

from tests.checker.inputs.test_chosen_values import verdicts

TAIL = """
__global__ void NAME(float *data, float *out) {
    int t = threadIdx.x;
    volatile float *s = data + blockIdx.x * 64;
    if (t < 32) {
        for (int k = 32; k; k /= 2) { float sum = s[t] + s[t + k]; SYNC s[t] = sum; SYNC }
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
"""
FLAGS = """
__global__ void handed_over(float *data, float *out) {
    volatile float *s = data + blockIdx.x * 64;
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = 1; __threadfence(); s[0] = 9; }
    if (threadIdx.x == 1) { while (s[0] != 9); __threadfence(); out[2 * blockIdx.x + 1] = out[2 * blockIdx.x]; }
}
"""
MAIN = """
int main() {
    float *data, *out;
    cudaMalloc(&data, 8 * 64 * sizeof(float)); cudaMalloc(&out, 16 * sizeof(float));
    cudaMemset(data, 0, 8 * 64 * sizeof(float));
    KERNELS
}
"""


@pytest.mark.archs
def test_lanes_that_rely_on_lockstep_execution_race_in_global_memory_too(tmp_path: Path, kernel_cache: Path) -> None:
    kernels = {"unsafe": "", "safe": "__syncwarp();"}
    tails = [TAIL.replace("NAME", name).replace("SYNC", sync) for name, sync in kernels.items()]
    names = (*kernels, "handed_over")
    main = MAIN.replace("KERNELS", "".join(f"{name}<<<8, 64>>>(data, out);" for name in names))
    assert verdicts("".join((*tails, FLAGS, main)), tmp_path, kernel_cache) == {
        "unsafe": "broken",
        "safe": "clean",
        "handed_over": "clean",  # the flag orders what comes after it
    }

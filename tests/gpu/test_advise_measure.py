"""`shflbench advise FILE --measure` on a real GPU."""

import json
from pathlib import Path

import pytest

from tests.conftest import Command

pytestmark = pytest.mark.gpu

# The exchange of the pattern `neighbor` with `mode=xor`: through shared memory with two barriers, or by a shuffle.
NEIGHBOR = """
__global__ void neighbor(const unsigned* in, unsigned* out, int iterations) {
    __shared__ unsigned slots[1024];
    int t = threadIdx.x;
    unsigned x = in[blockIdx.x * blockDim.x + t];
    for (int i = 0; i < iterations; ++i) {
        slots[t] = x;
        __syncthreads();
        x += 2 * slots[t ^ 1];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = x;
}
int main() {
    unsigned *in, *out;
    cudaMalloc(&in, 26 * 1024 * sizeof(unsigned));
    cudaMalloc(&out, 26 * 1024 * sizeof(unsigned));
    neighbor<<<26, 1024>>>(in, out, 64);
}
"""


def test_a_shuffle_instead_of_two_barriers_is_measured_to_be_faster(
    shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("neighbor.cu").write_text(NEIGHBOR, encoding="utf-8")
    outcome = shflbench("advise", "neighbor.cu", "--measure", "--format", "json")
    assert outcome.code == 0, outcome.err
    (kernel,) = json.loads(outcome.out)["kernels"]
    assert kernel["measured"]["status"] == {"old": "timed", "new": "timed"}
    assert kernel["measured"]["speedup"]["low"] > 1

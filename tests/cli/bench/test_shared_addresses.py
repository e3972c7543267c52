"""`bench` where NVRTC is older than 13.1, and makes other code of shared memory than nvcc."""

import pytest

from tests.cli.bench.conftest import BenchCommand

REVERSED = """
__global__ void plain(const float* in, float* out) {
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void wide(const float* in, float* out) {
    __shared__ float s[32];
    size_t address = __cvta_generic_to_shared(s + threadIdx.x);
    asm volatile("st.shared.f32 [%0], %1;" ::"l"(address), "f"(in[threadIdx.x]) : "memory");
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    plain<<<1, 32>>>(in, out);
    wide<<<1, 32>>>(in, out);
}
"""


@pytest.mark.archs
def test_kernels_with_other_code_than_that_of_nvcc_are_named(
    bench: BenchCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.cuda.compile.toolchain.SHORT_SHARED_ADDRESSES", (99, 0))
    outcome = bench(REVERSED)
    assert outcome.code == 0
    assert "computes addresses in shared memory with 64 bits, nvcc with 32: times of wide may differ" in outcome.err


def test_nothing_is_said_of_a_newer_compiler(bench: BenchCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cuda.compile.toolchain.SHORT_SHARED_ADDRESSES", (12, 0))
    outcome = bench(REVERSED)
    assert outcome.code == 0
    assert "nvcc" not in outcome.err

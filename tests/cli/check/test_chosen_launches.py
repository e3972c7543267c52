"""Kernels that need a block of the size that their source names, and broken ones beside them, without `--launch`."""

import json
from pathlib import Path

import pytest

from tests.conftest import Command

# After M. Harris, "Optimizing Parallel Reduction in CUDA", NVIDIA 2007, with a shuffle in the last warp.
REDUCE = """\
template <unsigned blockSize> __global__ void NAME(const int *in, int *out, unsigned n) {
    extern __shared__ int s[];
    const unsigned t = threadIdx.x, mask = blockSize < 32 ? (1u << blockSize) - 1 : 0xffffffff;
    int sum = 0;
    for (unsigned i = blockIdx.x * blockSize * 2 + t; i < n; i += blockSize * 2 * gridDim.x)
        sum += in[i] + (i + blockSize < n ? in[i + blockSize] : 0);
    s[t] = sum;
    __syncthreads();
    if (blockSize >= 256) { if (t < 128) s[t] = sum = sum + s[t + 128]; BARRIER }
    if (blockSize >= 128) { if (t < 64) s[t] = sum = sum + s[t + 64]; __syncthreads(); }
    if (t < 32) {
        if (blockSize >= 64) sum += s[t + 32];
        for (unsigned d = blockSize < 32 ? blockSize / 2 : 16; d > 0; d /= 2) sum += __shfl_xor_sync(mask, sum, d);
    }
    if (t == 0) out[blockIdx.x] = sum;
}
"""
ONE_WARP = """\
template <int B> __global__ void one_warp(const int *in, int *out) {
    extern __shared__ int w[];
    const int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    w[t] = in[g];
    if (B == 32) __syncwarp(); else __syncthreads();
    out[g] = w[blockDim.x - 1 - t];
}
"""
NARROW = """\
__global__ void narrow(const int *in, int *out) {
    int v = in[threadIdx.x];
    v += __shfl_xor_sync(0xffff, v, 8);
    out[threadIdx.x] = v;
}
"""
HOST = """\
__global__ void specified(const int *in, int *out, int n) {
    __shared__ int s[192];
    const int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = g < n ? in[g] : 0;
    if (t < 96) __syncwarp(); else __syncthreads();
    if (g < n) out[g] = s[t ^ 32];
}
__global__ void last(int *out) { if (threadIdx.x == 0) out[0] = blockIdx.x; }
"""
TEXT = (
    REDUCE.replace("NAME", "sound").replace("BARRIER", "__syncthreads();")
    + REDUCE.replace("NAME", "broken").replace("BARRIER", "")
    + ONE_WARP
    + NARROW
    + HOST
    + "".join(f"template __global__ void sound<{size}>(const int *, int *, unsigned);\n" for size in (8, 256))
    + "template __global__ void broken<256>(const int *, int *, unsigned);\n"
    "template __global__ void one_warp<32>(const int *, int *);\n"
    "void run(int *in, int *out, int n) {\n"
    "    specified<<<(n + 191) / 192, 192>>>(in, out, n);\n    last<<<(n + 31) / 32, 32>>>(out);\n}\n"
)


@pytest.mark.archs
def test_a_kernel_is_judged_at_the_block_that_its_source_names(shflbench: Command) -> None:
    Path("k.cu").write_text(TEXT, encoding="utf-8")
    (file,) = json.loads(shflbench("check", "k.cu", "--compiler", "nvrtc", "--format", "json").out)["files"]
    kernels = {kernel["name"]: kernel for kernel in file["kernels"]}
    assert {name: kernel["verdict"] for name, kernel in kernels.items()} == {
        "sound<8u>": "needs arguments",
        "sound<256u>": "clean",
        "broken<256u>": "broken",
        "one_warp<32>": "needs arguments",
        "narrow": "needs arguments",
        "specified": "broken",
        "last": "broken",
    }
    assert all(kernels[name]["needs"] == ["--launch"] for name in ("one_warp<32>", "sound<8u>", "narrow"))
    assert "but not in 1x16; " in kernels["narrow"]["sentence"]
    shapes = {name: [launch["launch"] for launch in kernel["launches"]] for name, kernel in kernels.items()}
    assert (shapes["sound<8u>"][0], shapes["broken<256u>"][0]) == ("2x8", "2x256")
    assert {shape.partition("x")[2] for shape in shapes["specified"]} == {"192"}
    assert all("n = " in launch["note"] for launch in kernels["specified"]["launches"])

"""A file whose kernels all have other parameters: one launch compared with a function that performs two."""

from pathlib import Path

import pytest

from tests.conftest import Command

PROGRAM = """\
#include <cstdlib>
template <class T> struct Buffer {
    explicit Buffer(size_t count, int) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
    explicit Buffer(size_t count) : Buffer(count, 0) {}
    T *get() { return data_; }
    size_t count_;
    T *data_ = nullptr;
};
__device__ float block_sum(float v) {
    __shared__ float part[64];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}
__global__ void dot_one(const float *a, const float *b, float *result, int n, int step) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += step) sum += a[i] * b[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *result = sum;
}
__global__ void dot_partial(const float *a, const float *b, float *partial, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float sum = block_sum(i < n ? a[i] * b[i] : 0);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
__global__ void dot_final(const float *partial, int count, float *result) {
    float sum = block_sum(threadIdx.x < count ? partial[threadIdx.x] : 0);
    if (threadIdx.x == 0) *result = sum;
}
void dot_two(const float *a, const float *b, float *partial, float *result, int n, int blocks) {
    dot_partial<<<blocks, 64>>>(a, b, partial, n);
    dot_final<<<1, 64>>>(partial, blocks, result);
}
int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 512;
    Buffer<float> a(n), b(n), partial(n / 64), one(1), two(1);
    dot_one<<<1, 64>>>(a.get(), b.get(), one.get(), n, 64);
    dot_two(a.get(), b.get(), partial.get(), two.get(), n, n / 64);
}
"""


@pytest.mark.archs
def test_a_kernel_is_compared_with_a_function_of_two_launches(process: Command) -> None:
    Path("dot.cu").write_text(PROGRAM, encoding="utf-8")
    outcome = process("bench", "dot.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert "Checked: clean (3 kernels" in outcome.err
    assert "not timed:" not in outcome.err
    assert "same as dot_one" in process("show", "run").out


@pytest.mark.archs
def test_a_wrong_second_launch_differs(process: Command) -> None:
    text = PROGRAM.replace("threadIdx.x < count ?", "threadIdx.x < count - 1 ?")
    Path("dot.cu").write_text(text, encoding="utf-8")
    assert process("bench", "dot.cu", "--output", "run").code == 5


FINAL_PAIR = """\
__global__ void other_partial(const float *a, const float *b, float *partial, int n) {
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    float sum = block_sum(i < n ? a[i] * b[i] : 0);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
__global__ void other_final(const float *partial, int count, float *result) {
    float sum = 0;
    for (int i = 0; i < count; i++) sum += partial[i];
    if (threadIdx.x == 0) *result = sum;
}
struct Buffers { float *a, *b, *partial, *result; };
static void run_first(const Buffers &x) {
    dot_partial<<<8, 64>>>(x.a, x.b, x.partial, 512);
    dot_final<<<1, 64>>>(x.partial, 8, x.result);
}
static void run_other(const Buffers &x) {
    other_partial<<<8, 64>>>(x.a, x.b, x.partial, 512);
    other_final<<<1, 64>>>(x.partial, 8, x.result);
}
int main() {
    Buffers x;
    cudaMalloc(&x.a, 2048);
    cudaMalloc(&x.b, 2048);
    cudaMalloc(&x.partial, 32);
    cudaMalloc(&x.result, 4);
    void (*const runs[])(const Buffers &) = {run_first, run_other};
    for (int k = 0; k < 2; ++k) runs[k](x);
}
"""


@pytest.mark.archs
def test_partial_results_that_differ_are_compared_with_what_reads_each(process: Command) -> None:
    before = PROGRAM[: PROGRAM.index("void dot_two")].replace(
        PROGRAM[PROGRAM.index("__global__ void dot_one") : PROGRAM.index("__global__ void dot_partial")], ""
    )
    Path("dot.cu").write_text(before + FINAL_PAIR, encoding="utf-8")
    outcome = process("bench", "dot.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert "same as run_first" in process("show", "run").out

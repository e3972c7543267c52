// What the kernels of this folder share. Each PUT keeps one result for each thread, so that a difference between
// the emulator and a GPU names the expression and the thread. benchmarks/agreement_subjects.py writes the PUTs as
// calls of `put` with their numbers.
// Launch convention: (three buffers of 32-bit words, results of 64 bits, iterations), one word per thread.
#pragma once

constexpr unsigned ALL = 0xffffffffu;
using Long = long long;
using Word = unsigned;
using Wide = unsigned long long;

#define KERNEL(name)                                                                                                 \
    extern "C" __global__ void name(const Word* first, const Word* second, const Word* third, Wide* results, int)
// The three operands of this thread.
#define OPERANDS const Word a = first[thread()], b = second[thread()], c = third[thread()];

__device__ inline int lane() { return threadIdx.x % 32; }
__device__ inline int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ inline Wide bits(Word x) { return x; }
__device__ inline Wide bits(int x) { return Word(x); }
__device__ inline Wide bits(Wide x) { return x; }
__device__ inline Wide bits(Long x) { return x; }
__device__ inline Wide bits(bool x) { return x; }
__device__ inline Wide bits(unsigned short x) { return x; }
// The payload of a NaN is left to the implementation, so any NaN is written as one.
__device__ inline Wide bits(float x) { return x == x ? __float_as_uint(x) : 0x7fffffffu; }
__device__ inline Wide bits(double x) { return x == x ? __double_as_longlong(x) : 0x7fffffffffffffffLL; }

template <typename T>
__device__ void put(Wide* results, int number, T value) {
    results[number * gridDim.x * blockDim.x + thread()] = bits(value);
}

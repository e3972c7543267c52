// The part of an array that a block streams, and what a kernel does with the words: copy them, or read all of them.
#pragma once

#include "shflbench.cuh"

constexpr int PER_THREAD = OPTION_PER_THREAD;  // elements
#if OPTION_WORK_COPY
constexpr bool COPIES = true;
#else
constexpr bool COPIES = false;
#endif

// The first element of the block's part. An array may have more elements than an `int` can count.
template <typename T>
__device__ T* of_block(T* elements) { return elements + size_t(blockIdx.x) * (BLOCK * PER_THREAD); }

// The bits of a load, to be combined by xor. An element of two bytes stays in its half of a 32-bit word: a thread loads
// elements of even or of odd numbers only.
__device__ inline unsigned bits(float x) { return __float_as_uint(x); }
__device__ inline unsigned bits(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }
#if DTYPE_BF16
__device__ inline unsigned bits(__nv_bfloat16 x) { return unsigned(__bfloat16_as_ushort(x)) << threadIdx.x % 2 * 16; }
#endif

// Combines all bits that the threads of a block have read, and adds them to the block's word by xor.
template <typename T>
__device__ void combine_bits(unsigned mine, T* result) {
    for (int distance = WARP / 2; distance > 0; distance /= 2) mine ^= shfl_xor(mine, distance);
    if (lane() == 0) atomicXor(&reinterpret_cast<unsigned*>(result)[blockIdx.x], mine);
}

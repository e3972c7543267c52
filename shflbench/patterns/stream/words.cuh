// What a kernel does with the words of an array: copy them, or read all of them.
#pragma once

#include "shflbench.cuh"

#if OPTION_WORK_COPY
constexpr bool COPIES = true;
#else
constexpr bool COPIES = false;
#endif

// The xor of a thread's elements as a part of a 32-bit word: of elements of two bytes, a thread loads those of even or
// of odd numbers only.
template <typename T>
__device__ unsigned in_its_half(unsigned bits) { return sizeof(T) == 2 ? bits << threadIdx.x % 2 * 16 : bits; }

// Combines all bits that the threads of a block have read, and adds them to the block's word by xor.
template <typename T>
__device__ void combine_bits(unsigned mine, T* result) {
    for (int distance = WARP / 2; distance > 0; distance /= 2) mine ^= shfl_xor(mine, distance);
    if (lane() == 0) atomicXor(&reinterpret_cast<unsigned*>(result)[blockIdx.x], mine);
}

// What every kernel may use: its place in the grid, its shared memory, and the timed loop.
//
// Launch convention: a one-dimensional grid of whole warps, one element a thread, and the arguments
//     (const T* inputs..., T* outputs..., int iterations)
#pragma once

constexpr int WARP = 32;
constexpr unsigned FULL_WARP = 0xffffffffu;

__device__ inline int lane() { return threadIdx.x % WARP; }
__device__ inline int first_of_warp() { return threadIdx.x - lane(); }  // block index of the warp's lane 0
__device__ inline int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// The block's dynamic shared memory.
template <typename T>
__device__ T* shared() {
    extern __shared__ __align__(16) unsigned char bytes[];
    return reinterpret_cast<T*>(bytes);
}

template <typename T>
__device__ void swap(T& a, T& b) { const T old = a; a = b; b = old; }

// Add; integers wrap around as unsigned, because signed overflow is undefined in C++.
__device__ inline float add(float a, float b) { return a + b; }
__device__ inline double add(double a, double b) { return a + b; }
__device__ inline int add(int a, int b) { return int(unsigned(a) + unsigned(b)); }
__device__ inline long long add(long long a, long long b) {
    return (long long)((unsigned long long)a + (unsigned long long)b);
}

// The timed loop. Every variant of a pattern is unrolled by the same factor, UNROLL, which the pattern
// declares and shflbench defines; the machine code is checked for it.
#define REPEAT(iterations) _Pragma("unroll UNROLL") for (int trip = 0; trip < (iterations); ++trip)

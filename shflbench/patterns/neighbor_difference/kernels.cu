// Every element becomes its right neighbor minus itself; the last one has no neighbor and becomes zero.
// A warp processes a strip of STRIP times 32 elements. Input and output do not overlap (__restrict__), so that
// the compiler may load ahead of its stores, in all variants.
#include "shflbench.cuh"

constexpr int STRIP = OPTION_STRIP;

// Integers wrap around as unsigned, because signed overflow is undefined in C++.
__device__ inline float minus(float a, float b) { return a - b; }
__device__ inline double minus(double a, double b) { return a - b; }
__device__ inline int minus(int a, int b) { return int(unsigned(a) - unsigned(b)); }
__device__ inline long long minus(long long a, long long b) {
    return (long long)((unsigned long long)a - (unsigned long long)b);
}

// The lane's element in the first 32 of its warp's strip.
__device__ inline int first_element() { return (thread() - lane()) * STRIP + lane(); }

// Loads every element twice: once as itself and once as a neighbor.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_difference_global(const T* __restrict__ x, T* __restrict__ result, int count) {
    int i = first_element();
#pragma unroll 4
    for (int step = 0; step < STRIP; ++step, i += WARP) {
        // Loads of their own, outside of the branch: several steps are in flight at once, as in the other variants.
        const T value = i < count ? x[i] : T(0), right = i + 1 < count ? x[i + 1] : T(0);
        if (i < count) result[i] = i + 1 < count ? minus(right, value) : T(0);
    }
}

// The element to load ahead: the lane's element among the next 32. Beyond the strip only that of lane 0 is
// needed, the neighbor of the last element of the strip.
template <typename T>
__device__ T load_next(const T* x, int i, int step, int count) {
    const bool wanted = step + 1 < STRIP || lane() == 0;
    return wanted && i + WARP < count ? x[i + WARP] : T(0);
}

// The warp keeps 32 elements and the next 32 in shared memory, which are swapped in every step.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_difference_smem(const T* __restrict__ x, T* __restrict__ result, int count) {
    T* slots = shared<T>() + 2 * first_of_warp();
    int i = first_element();
    T value = i < count ? x[i] : T(0);
    slots[lane()] = value;
#pragma unroll 4
    for (int step = 0; step < STRIP; ++step, i += WARP) {
        const int here = step % 2 * WARP;
        const T next = load_next(x, i, step, count);
        slots[(here ^ WARP) + lane()] = next;
        __syncwarp();
        const T right = slots[(here + lane() + 1) % (2 * WARP)];
        __syncwarp();
        if (i < count) result[i] = i + 1 < count ? minus(right, value) : T(0);
        value = next;
    }
}

// The warp keeps 32 elements and the next 32 in registers. Lane 0 sends its next element, because no
// lane needs its current one: the neighbor of the last lane is the first of the next 32.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_difference_shfl(const T* __restrict__ x, T* __restrict__ result, int count) {
    int i = first_element();
    T value = i < count ? x[i] : T(0);
#pragma unroll 4
    for (int step = 0; step < STRIP; ++step, i += WARP) {
        const T next = load_next(x, i, step, count);
        const T sent = lane() == 0 ? next : value;
        const T right = shfl(sent, (lane() + 1) % WARP);
        if (i < count) result[i] = i + 1 < count ? minus(right, value) : T(0);
        value = next;
    }
}

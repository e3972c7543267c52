// challenge moving-average --dtype f32 --option missing=0 --launch '262144x256'
// challenge moving-average --dtype f32 --option missing=0 --launch '16384x256'
#include "shflbench.cuh"

template <typename T>
__device__ T mean(T a, T b, T c, T d, T e) { return (a + b + c + d + e) * T(0.2f); }
template <>
__device__ double mean(double a, double b, double c, double d, double e) { return (a + b + c + d + e) * 0.2; }

// Whether all five elements exist: one comparison.
__device__ inline bool inside(int i, int count) { return unsigned(i - 2) < unsigned(max(count - 4, 0)); }

// One thread of every AT_ONCE-th block asks for the elements of as many later blocks. Called where the block's own loads are under
// way, so that no warp waits for this. The last thread, because the first thread of the grid has no five elements.
template <int AT_ONCE, int AHEAD_BYTES, typename T>
__device__ void prefetch_later(const T* x, int count) {
    if (threadIdx.x != blockDim.x - 1 || blockIdx.x % AT_ONCE != 0) return;
    const int elements = AT_ONCE * blockDim.x, later = blockIdx.x * blockDim.x + AHEAD_BYTES / int(sizeof(T));
    if (later + elements > count) return;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                 :: "l"(x + later), "r"(elements * int(sizeof(T))) : "memory");
}

template <typename T>
__device__ T load(const T* x) {
    T value;
    if constexpr (sizeof(T) == 4) asm volatile("ld.global.b32 %0, [%1];" : "=f"(value) : "l"(x));
    else asm volatile("ld.global.b64 %0, [%1];" : "=d"(value) : "l"(x));
    return value;
}

// Loads first (one comparison before them), then the prefetch, then the sum.
template <int AT_ONCE, int AHEAD_BYTES, bool STREAMING, typename T>
__device__ void average(const T* x, T* y, int count) {
    const int i = thread();
    if (!inside(i, count)) {
        if (i < count) y[i] = 0;
        return;
    }
    const T a = load(x + i - 2), b = load(x + i - 1), c = load(x + i), d = load(x + i + 1), e = load(x + i + 2);
    if constexpr (AT_ONCE > 0) prefetch_later<AT_ONCE, AHEAD_BYTES>(x, count);
    const T result = mean(a, b, c, d, e);
    if constexpr (STREAMING) __stcs(y + i, result);
    else y[i] = result;
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_first(const T* x, T* y, int count) { average<0, 0, false>(x, y, count); }

template <typename T>
__global__ void LAUNCH_BOUNDS x_prefetch_after(const T* x, T* y, int count) { average<8, 8 << 20, false>(x, y, count); }

template <typename T>
__global__ void LAUNCH_BOUNDS x_prefetch_near(const T* x, T* y, int count) { average<8, 4 << 20, false>(x, y, count); }

template <typename T>
__global__ void LAUNCH_BOUNDS x_prefetch_large(const T* x, T* y, int count) { average<32, 8 << 20, false>(x, y, count); }

template <typename T>
__global__ void LAUNCH_BOUNDS x_prefetch_stcs(const T* x, T* y, int count) { average<8, 8 << 20, true>(x, y, count); }

// A warp loads its 36 elements by two loads, the second by four lanes only; four shuffles bring the others. A lane gives its element of
// the second load if the lane that asks lies beyond the end of the first.
template <int AT_ONCE, int AHEAD_BYTES, typename T>
__device__ void average_by_shuffles(const T* x, T* y, int count) {
    const int i = thread(), first = i - 2;
    const T own = unsigned(first) < unsigned(count) ? x[first] : T(0);
    const T beyond = lane() < 4 && unsigned(first + WARP) < unsigned(count) ? x[first + WARP] : T(0);
    if constexpr (AT_ONCE > 0) prefetch_later<AT_ONCE, AHEAD_BYTES>(x, count);
    T five[5] = {own};
#pragma unroll
    for (int k = 1; k < 5; ++k) five[k] = __shfl_sync(FULL_WARP, lane() < k ? beyond : own, lane() + k);
    const T result = mean(five[0], five[1], five[2], five[3], five[4]);
    if (i < count) y[i] = inside(i, count) ? result : T(0);
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_shuffles(const T* x, T* y, int count) { average_by_shuffles<0, 0>(x, y, count); }

template <typename T>
__global__ void LAUNCH_BOUNDS x_prefetch_shuffles(const T* x, T* y, int count) {
    average_by_shuffles<8, 8 << 20>(x, y, count);
}

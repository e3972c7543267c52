// Challengers of `cluster-reduce`.
#include "sum.cuh"

constexpr int WARPS = BLOCK / WARP;
constexpr int VALUES = BLOCKS * BLOCK;  // of a group

template <typename T>
struct alignas(16) Four {
    T x[4];
    __device__ T sum() const { return add(add(x[0], x[1]), add(x[2], x[3])); }
};
template <int N, typename T>
__device__ T tree(const T* x) {
    if constexpr (N == 1) return x[0];
    else return add(tree<N / 2>(x), tree<N / 2>(x + N / 2));
}
__device__ inline int whole_warp(int x) { return int(__reduce_add_sync(FULL_WARP, unsigned(x))); }
__device__ inline float whole_warp(float x) { return warp_sum(x); }

// The sum of COUNT values by THREADS threads, of which this is number `index`: 16 bytes per load, all loads at once.
template <int COUNT, int THREADS, typename T>
__device__ T load_sum(const T* values, int index) {
    constexpr int LOADS = COUNT / (4 * THREADS);
    static_assert(LOADS >= 1);
    Four<T> four[LOADS];
    T sums[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) four[i] = reinterpret_cast<const Four<T>*>(values)[i * THREADS + index];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) sums[i] = four[i].sum();
    return tree<LOADS>(sums);
}
// Thread 0 adds up sums in shared memory, 16 bytes at a time.
template <int COUNT, typename T>
__device__ T few_wide(const T* sums) {
    if constexpr (COUNT < 4) return tree<COUNT>(sums);
    else {
        T of_four[COUNT / 4];
#pragma unroll
        for (int i = 0; i < COUNT / 4; ++i) of_four[i] = reinterpret_cast<const Four<T>*>(sums)[i].sum();
        return tree<COUNT / 4>(of_four);
    }
}

// The larger block, of which only the first warp works: it loads all values, 16 bytes at a time, and needs no barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_reduce_x_first_warp(const T* values, T* sums) {
    if (threadIdx.x >= WARP) return;
    const T sum = whole_warp(load_sum<VALUES, WARP>(values + blockIdx.x * VALUES, threadIdx.x));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// The same in a block of one warp.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_reduce_x_warp(const T* values, T* sums) {
    const T sum = whole_warp(load_sum<VALUES, WARP>(values + blockIdx.x * VALUES, threadIdx.x));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// The same with four groups per block, one for each warp.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_reduce_x_warps(const T* values, T* sums, int groups) {
    const int group = blockIdx.x * WARPS + threadIdx.x / WARP;
    if (group >= groups) return;
    const T sum = whole_warp(load_sum<VALUES, WARP>(values + group * VALUES, lane()));
    if (lane() == 0) sums[group] = sum;
}
// The larger block with one value per thread; the other warps leave their sums and end, without waiting.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_reduce_x_larger_arrive(const T* values, T* sums) {
    constexpr int ALL = BLOCKS * WARPS;
    __shared__ __align__(16) T of_warps[ALL];
    const T sum = whole_warp(values[thread()]);
    if (lane() == 0) of_warps[threadIdx.x / WARP] = sum;
    __syncwarp();
    if (threadIdx.x >= WARP) {
        asm volatile("bar.arrive 1, %0;" :: "n"(VALUES) : "memory");
        return;
    }
    asm volatile("bar.sync 1, %0;" :: "n"(VALUES) : "memory");
    if (threadIdx.x == 0) sums[blockIdx.x] = few_wide<ALL>(of_warps);
}
// The larger block, of which as many warps work as there are loads of 16 bytes per lane; the others end at once.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_reduce_x_larger_wide(const T* values, T* sums) {
    constexpr int WORKERS = BLOCKS * WARPS / 4;
    __shared__ __align__(16) T of_warps[WORKERS];
    if (threadIdx.x >= WORKERS * WARP) return;
    const T sum = whole_warp(load_sum<VALUES, WORKERS * WARP>(values + blockIdx.x * VALUES, threadIdx.x));
    if (lane() == 0) of_warps[threadIdx.x / WARP] = sum;
    asm volatile("bar.sync 1, %0;" :: "n"(WORKERS * WARP) : "memory");
    if (threadIdx.x == 0) sums[blockIdx.x] = few_wide<WORKERS>(of_warps);
}

// A cluster whose warps send their sums to the first block by st.async: no barrier within a block, and no second stage in it.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS) my_cluster_reduce_x_store_async_warps(const T* values, T* sums) {
    __shared__ __align__(16) T of_warps[BLOCKS * WARPS];
    __shared__ unsigned long long arrived;
    if (threadIdx.x == 0) {
        init(&arrived, 1);
        publish_init();
        if (rank_in_cluster() == 0) arrive_expecting(&arrived, sizeof of_warps);
    }
    __syncwarp();
    cluster_arrive_relaxed();
    const T sum = whole_warp(values[thread()]);
    cluster_wait();
    if (lane() != 0) return;
    store_async(address_in(0, &of_warps[rank_in_cluster() * WARPS + threadIdx.x / WARP]), sum, address_in(0, &arrived));
    if (rank_in_cluster() != 0 || threadIdx.x != 0) return;
    wait(&arrived, 0);
    sums[blockIdx.x / BLOCKS] = few_wide<BLOCKS * WARPS>(of_warps);
}

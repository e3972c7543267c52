// Challengers of cluster-reduce: the sum of COUNT adjacent values by LANES lanes.
#include "shflbench.cuh"

constexpr int COUNT = OPTION_CLUSTER * BLOCK;

template <typename T>
struct alignas(16) Four { T x[4]; };

template <int SIZE, typename T>
__device__ T tree(const T* values) {
    if constexpr (SIZE == 1) return values[0];
    else return add(tree<SIZE / 2>(values), tree<SIZE / 2>(values + SIZE / 2));
}

template <int LANES, typename T>
__device__ T sum_of_loads(const T* values, int lane) {
    constexpr int LOADS = COUNT / LANES / 4, BATCH = LOADS < 16 ? LOADS : 16;
    T total = 0;
    #pragma unroll
    for (int batch = 0; batch < LOADS; batch += BATCH) {
        Four<T> four[BATCH];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) four[i] = reinterpret_cast<const Four<T>*>(values)[(batch + i) * LANES + lane];
        T sums[BATCH];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) sums[i] = tree<4>(four[i].x);
        const T sum = tree<BATCH>(sums);
        total = batch == 0 ? sum : add(total, sum);
    }
    return total;
}

// Sums of groups of N lanes whose numbers differ in the factors of STEP: shuffles that do not wait for one another.
template <int STEP, int N, typename T>
__device__ T sum_at_once(T x) {
    T all[N];
    all[0] = x;
    #pragma unroll
    for (int i = 1; i < N; ++i) all[i] = shfl_xor(x, i * STEP);
    return tree<N>(all);
}
template <int LANES, bool AT_ONCE, typename T>
__device__ T sum_of_lanes(T x) {
    if constexpr (AT_ONCE) {
        if constexpr (LANES == 32) return sum_at_once<8, 4>(sum_at_once<1, 8>(x));
        else if constexpr (LANES == 16) return sum_at_once<4, 4>(sum_at_once<1, 4>(x));
        else return sum_at_once<1, LANES>(x);
    } else {
        #pragma unroll
        for (int distance = LANES / 2; distance > 0; distance /= 2) x = add(x, shfl_xor(x, distance));
        return x;
    }
}

template <int LANES, bool AT_ONCE, typename T>
__device__ void by_lanes(const T* values, T* sums, int groups) {
    const int group = thread() / LANES, mine = threadIdx.x % LANES;
    // Whole warps go on: lanes without a group add up those of the last one, and store nothing.
    const int of = group < groups ? group : groups - 1;
    const T sum = sum_of_lanes<LANES, AT_ONCE>(sum_of_loads<LANES>(values + of * COUNT, mine));
    if (mine == 0 && group < groups) sums[group] = sum;
}
#define KERNEL(name, lanes, at_once) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_cluster_reduce_##name(const T* values, T* sums, int groups) { \
        by_lanes<lanes, at_once>(values, sums, groups); \
    }
KERNEL(x_one_warp, 32, true)
KERNEL(x_warps_256, 32, false)
KERNEL(x_warps_1024, 32, false)
KERNEL(x_half_warp, 16, false)
KERNEL(x_half_warp_512, 16, false)
KERNEL(x_eight_lanes, 8, false)
KERNEL(x_eight_lanes_512, 8, false)

// As first-warp: the block has a thread per value, and its first warp adds.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_reduce_x_first_warp_at_once(const T* values, T* sums) {
    if (threadIdx.x >= WARP) return;
    const T sum = sum_of_lanes<32, true>(sum_of_loads<32>(values + blockIdx.x * COUNT, threadIdx.x));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Two or four warps per group.
template <int WARPS, typename T>
__device__ void by_warps(const T* values, T* sums) {
    __shared__ T of_warps[WARPS];
    const T sum = sum_of_lanes<32, true>(sum_of_loads<WARPS * WARP>(values + blockIdx.x * COUNT, threadIdx.x));
    if (lane() == 0) of_warps[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = tree<WARPS>(of_warps);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_reduce_x_two_warps(const T* values, T* sums) {
    by_warps<2>(values, sums);
}

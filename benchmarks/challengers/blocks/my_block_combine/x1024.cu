#include "combine.cuh"
#include "rake.cuh"
#define NEXT [](T x, T sum) { return advance(x, sum); }
#define KERNEL(name, ...) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_block_combine_##name(const T* values, T* result, int iterations) { __VA_ARGS__; }
KERNEL(x_quarters_local, sum_by_quarters<false, true>(values, result, iterations, NEXT))
KERNEL(x_quarters_local_wide, sum_by_quarters<true, true>(values, result, iterations, NEXT))
KERNEL(x_quarters_wide, sum_by_quarters<true, false>(values, result, iterations, NEXT))
KERNEL(x_quarters_adjacent, sum_by_quarters<false, false>(values, result, iterations, NEXT))

// Four warps add up columns as in raking-quarters, and shuffles their lanes: 16 sums, of which each lane of all threads
// loads four and the rest come by shuffles, or with EIGHT warps that add up half as many values.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_eighths(const T* values, T* result, int iterations) {
    static_assert(BLOCK == 1024);
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T of_lanes[8][WARP];
    __shared__ __align__(16) T parts[8];
    const int warp = threadIdx.x / WARP;
    const bool adds = warp < 8;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        if (adds) {
            const T sum = sum_by_groups(sum_of(four_at(&slots[threadIdx.x * 4])), of_lanes[warp]);
            if (lane() == 0) parts[warp] = sum;
        }
        __syncthreads();
        x = advance(x, add(sum_of(four_at(parts)), sum_of(four_at(parts + 4))));
    }
    result[thread()] = x;
}

// The family of sums of a block: sums of warps, part through shared memory and the rest by shuffles, which all threads then load
// and add. Each member is one choice of the template's parameters.
#include "loads.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// All lanes get the sum of a warp: of the values of LANES adjacent lanes, which they load BITS at a time, and by shuffles.
template <int LANES, int BITS, bool APART, typename T>
__device__ T warp_sum(T x, T* slots) {
    if (LANES > 1) {
        T values[LANES];
        slots[lane()] = x;
        __syncwarp();  // all lanes have written; a barrier of the block comes before the next store
        load_all<BITS>(values, slots + lane() / LANES * LANES);
        x = sum_of<LANES, false>(values);
    }
    if (APART) {
        T values[WARP / LANES] = {x};
#pragma unroll
        for (int i = 1; i < WARP / LANES; ++i) values[i] = shfl_xor(x, i * LANES);
        return sum_of<WARP / LANES, false>(values);
    }
#pragma unroll
    for (int distance = LANES; distance < WARP; distance *= 2) x = add(x, shfl_xor(x, distance));
    return x;
}

// The sums of warps have two places that serve in turn, or a second barrier.
template <typename T, int LANES, int BITS, bool APART, int SUM_BITS, bool ONCE>
__global__ void LAUNCH_BOUNDS block_reduce_member(const T* values, T* result, int iterations) {
    constexpr int COUNT = WARPS * 32 < SUM_BITS ? SUM_BITS / 32 : WARPS;  // sums, and zeros where a load is wider
    T *sums = shared<T>(), *slots = sums + 2 * WARP + first_of_warp();
    if (threadIdx.x < 2 * WARP) sums[threadIdx.x] = T(0);
    __syncthreads();
    int offset = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = warp_sum<LANES, BITS, APART>(x, slots);
        if (lane() == 0) sums[offset + threadIdx.x / WARP] = sum;
        __syncthreads();  // all sums are written
        T of_warps[COUNT];
        load_all<SUM_BITS>(of_warps, sums + offset);
        if (ONCE) offset ^= WARP;
        if (!ONCE) __syncthreads();  // all threads have read: the sums may be written again
        x = advance(x, sum_of<COUNT, false>(of_warps));
    }
    result[thread()] = x;
}

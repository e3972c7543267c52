// The sums by the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "copied/redux-smem8.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// One instruction sums the values of a warp, which need not wait for the scan; another the sums of the lower warps.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_redux_smem8(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ T sums[2][2 * WARPS];
    if (threadIdx.x < 2 * WARPS) sums[threadIdx.x / WARPS][threadIdx.x % WARPS] = 0;
    __syncthreads();
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux_smem8::block_prefix_sum<BLOCK>(x, slots, now, next));
    result[thread()] = x;
}

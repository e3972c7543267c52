// The exchange of `clusters.cu` in a block with the threads of all blocks of a cluster.
#include "cluster.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS cluster_exchange_larger_block(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCKS * BLOCK];
    const int of_partner = (BLOCKS - 1 - int(threadIdx.x) / BLOCK) * BLOCK + threadIdx.x % BLOCK;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[iteration % 2][threadIdx.x] = x;
        __syncthreads();
        x = mix(x, slots[iteration % 2][of_partner]);
    }
    result[thread()] = x;
}

// The sum by CUB. Only thread 0 gets it; with ALL, it passes the sum on through shared memory. The barrier of each
// iteration comes between the reads of CUB's memory and the next writes.
#include <cub/block/block_reduce.cuh>

#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T, cub::BlockReduceAlgorithm ALGORITHM>
__device__ void reduce_by_cub(const T* values, T* result, int iterations) {
    using Reduce = cub::BlockReduce<T, BLOCK, ALGORITHM>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ T all;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = Reduce(storage).Sum(x);
        if (ALL && threadIdx.x == 0) all = sum;
        __syncthreads();
        x = advance(x, ALL ? all : sum);
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_cub(const T* values, T* result, int iterations) {
    reduce_by_cub<T, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(values, result, iterations);
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_cub_raking(const T* values, T* result, int iterations) {
    reduce_by_cub<T, cub::BLOCK_REDUCE_RAKING>(values, result, iterations);
}

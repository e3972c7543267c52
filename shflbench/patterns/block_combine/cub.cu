// The sum by CUB. Only thread 0 gets it, and passes it on through shared memory. The barrier of each iteration comes
// between the reads of CUB's memory and the next writes.
#include <cub/block/block_reduce.cuh>

#include "combine.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_cub(const T* values, T* result, int iterations) {
    using Reduce = cub::BlockReduce<T, BLOCK>;
    __shared__ typename Reduce::TempStorage storage;
    __shared__ T all;
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = Reduce(storage).Sum(x);
        if (threadIdx.x == 0) all = sum;
        __syncthreads();
        x = advance(x, all);
    }
    result[thread()] = x;
}

// The sum by CUB. Only thread 0 gets it, and passes it on through shared memory. The barrier of each iteration comes
// between the reads of CUB's memory and the next writes.
#include "combine.cuh"
#include "copied/cub.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_cub(const T* values, T* result, int iterations) {
    __shared__ typename shflbench::cub::BlockReduce<BLOCK>::TempStorage storage;
    __shared__ T all;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cub::block_sum<BLOCK>(x, storage, all));
    result[thread()] = x;
}

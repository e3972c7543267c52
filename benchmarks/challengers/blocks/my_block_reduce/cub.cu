// The sum by CUB. Only thread 0 gets it; with ALL, it passes the sum on through shared memory.
#include "copied/cub-raking.cuh"
#include "copied/cub.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_cub(const T* values, T* result, int iterations) {
    __shared__ typename shflbench::cub::BlockReduce<BLOCK>::TempStorage storage;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cub::block_sum<BLOCK>(x, storage));
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_cub_raking(const T* values, T* result, int iterations) {
    __shared__ typename shflbench::cub_raking::BlockReduce<BLOCK>::TempStorage storage;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cub_raking::block_sum<BLOCK>(x, storage));
    result[thread()] = x;
}

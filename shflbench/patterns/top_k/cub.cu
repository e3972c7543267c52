// The largest elements of a warp by CUB's merge sort, which sorts all of them.
#include "copied/cub.cuh"
#include "elements.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS top_k_cub(const T* values, T* largest, T* result, int iterations) {
    __shared__ shflbench::cub::WarpMergeSort::TempStorage storage[256 / WARP];  // one per warp of the block
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::cub::top_k(own.x, storage[threadIdx.x / WARP]);
    }
    largest[thread()] = got;
    own.store(result);
}

//! cub
#include <cub/warp/warp_merge_sort.cuh>
//! *
namespace copied {
#include "{copied}"
}
#include "elements.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * ELEMENTS;  //! merge
    int* slots = shared<int>() + threadIdx.x / WARP * COUNT;  //! radix
    int* slots = shared<int>() + threadIdx.x / WARP * (ELEMENTS + COUNT);  //! rank
    __shared__ copied::WarpMergeSort::TempStorage storage[256 / WARP];  //! cub
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = copied::top_k(own.x);  //! bitonic redux
        got = copied::top_k(own.x, slots);  //! merge radix
        got = copied::top_k(own.x, slots, slots + ELEMENTS);  //! rank
        got = copied::top_k(own.x, storage[threadIdx.x / WARP]);  //! cub
    }
    largest[thread()] = got;
    own.store(result);
}

// The keys sorted by CUB, which merges sorted runs through shared memory.
#include "copied/cub.cuh"
#include "network.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_cub(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    __shared__ shflbench::cub::WarpSort::TempStorage storage[WARP];  // one per warp of the block
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
#if OPTION_PAYLOAD_VALUE
        shflbench::cub::warp_sort(key, value, storage[threadIdx.x / WARP]);
#else
        key = shflbench::cub::warp_sort(key, storage[threadIdx.x / WARP]);
#endif
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

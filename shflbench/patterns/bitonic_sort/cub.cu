// The keys sorted by CUB, which merges sorted runs through shared memory.
#include <cub/warp/warp_merge_sort.cuh>

#include "network.cuh"
#include "shflbench.cuh"

struct Less {
    template <typename T>
    __device__ bool operator()(T a, T b) const { return a < b; }
};

template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_cub(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    using Sort = cub::WarpMergeSort<T, 1, WARP, cuda::std::conditional_t<WITH_VALUES, T, cub::NullType>>;
    __shared__ typename Sort::TempStorage storage[WARP];  // one per warp of the block
    T key[] = {keys[thread()]}, value[] = {values[thread()]};
    REPEAT(iterations) {
        key[0] = scrambled(key[0]);
        Sort sort(storage[threadIdx.x / WARP]);
        if constexpr (WITH_VALUES) sort.Sort(key, value, Less()); else sort.Sort(key, Less());
        __syncwarp();  // the next sort uses the same storage
    }
    sorted_keys[thread()] = key[0];
    sorted_values[thread()] = value[0];
}

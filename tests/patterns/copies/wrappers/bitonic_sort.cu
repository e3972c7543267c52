//! *
#include "{copied}"
#include "network.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    __shared__ WarpSort::TempStorage storage[WARP];  //! cub
    T *key_slots = shared<T>(), *value_slots = key_slots + blockDim.x;  //! smem smem-syncwarp
    Ordered *unsorted = shared<Ordered>(), *sorted = unsorted + blockDim.x;  //! smem-rank
    T* sorted_value = reinterpret_cast<T*>(sorted + blockDim.x);  //! smem-rank payload=value
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        key = warp_sort(key);  //! shfl shfl-min shfl-complement payload=none
        key = warp_sort(key, key_slots);  //! smem smem-syncwarp payload=none
        key = warp_sort(key, storage[threadIdx.x / WARP]);  //! cub payload=none
        key = warp_sort(key, unsorted, sorted);  //! smem-rank payload=none
        warp_sort(key, value, unsorted, sorted, sorted_value);  //! smem-rank payload=value
        warp_sort(key, value);  //! shfl payload=value
        warp_sort(key, value, key_slots, value_slots);  //! smem smem-syncwarp payload=value
        warp_sort(key, value, storage[threadIdx.x / WARP]);  //! cub payload=value
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

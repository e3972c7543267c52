// Sorts each warp's 32 keys in ascending order, one per lane, by a bitonic network of 15 exchanges; values move along.
#include "network.cuh"
#include "shflbench.cuh"

// Two barriers per exchange: the first between a slot's write and its read, the second between that
// read and the slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_smem(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    T *key_slots = shared<T>(), *value_slots = key_slots + blockDim.x;
    const int mine = threadIdx.x;
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                key_slots[mine] = key;
                if (WITH_VALUES) value_slots[mine] = value;
                __syncthreads();
                const T other_key = key_slots[mine ^ distance];
                const T other_value = WITH_VALUES ? value_slots[mine ^ distance] : value;
                __syncthreads();
                if (takes_other(key, other_key, size, distance)) {
                    key = other_key;
                    value = other_value;
                }
            }
        }
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// The keys never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_smem_syncwarp(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                           int iterations) {
    T *key_slots = shared<T>(), *value_slots = key_slots + blockDim.x;
    const int mine = threadIdx.x;
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                key_slots[mine] = key;
                if (WITH_VALUES) value_slots[mine] = value;
                __syncwarp();
                const T other_key = key_slots[mine ^ distance];
                const T other_value = WITH_VALUES ? value_slots[mine ^ distance] : value;
                __syncwarp();
                if (takes_other(key, other_key, size, distance)) {
                    key = other_key;
                    value = other_value;
                }
            }
        }
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS bitonic_sort_smem_unsafe(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                         int iterations) {
    volatile T *key_slots = shared<T>(), *value_slots = key_slots + blockDim.x;
    const int mine = threadIdx.x;
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                key_slots[mine] = key;
                if (WITH_VALUES) value_slots[mine] = value;
                const T other_key = key_slots[mine ^ distance];
                const T other_value = WITH_VALUES ? T(value_slots[mine ^ distance]) : value;
                if (takes_other(key, other_key, size, distance)) {
                    key = other_key;
                    value = other_value;
                }
            }
        }
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_shfl(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                const T other_key = __shfl_xor_sync(FULL_WARP, key, distance);
                const T other_value = WITH_VALUES ? __shfl_xor_sync(FULL_WARP, value, distance) : value;
                if (takes_other(key, other_key, size, distance)) {
                    key = other_key;
                    value = other_value;
                }
            }
        }
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

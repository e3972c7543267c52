// Sorts each warp's 32 keys in ascending order, one per lane, by a bitonic network of 15 exchanges; values move along.
#include "copied/shfl.cuh"
#include "copied/shfl-complement.cuh"
#include "copied/shfl-min.cuh"
#include "copied/shfl-min-max.cuh"
#include "copied/smem.cuh"
#include "copied/smem-rank.cuh"
#include "copied/smem-rank-window.cuh"
#include "copied/smem-syncwarp.cuh"
#include "network.cuh"
#include "shflbench.cuh"

// Two barriers per exchange: the first between a slot's write and its read, the second between that
// read and the slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_smem(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    T *key_slots = shared<T>(), *value_slots = key_slots + blockDim.x;
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
#if OPTION_PAYLOAD_VALUE
        shflbench::smem::warp_sort(key, value, key_slots, value_slots);
#else
        key = shflbench::smem::warp_sort(key, key_slots);
#endif
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// The keys never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_smem_syncwarp(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    T *key_slots = shared<T>(), *value_slots = key_slots + blockDim.x;
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
#if OPTION_PAYLOAD_VALUE
        shflbench::smem_syncwarp::warp_sort(key, value, key_slots, value_slots);
#else
        key = shflbench::smem_syncwarp::warp_sort(key, key_slots);
#endif
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
#if OPTION_PAYLOAD_VALUE
        shflbench::shfl::warp_sort(key, value);
#else
        key = shflbench::shfl::warp_sort(key);
#endif
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// Ranks instead of a network: each lane counts the keys that come before its own, which all lanes have stored, and stores
// its key at that place. Two arrays, so that the barrier after the stores of one also separates the reads of the other
// from the next stores.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_smem_rank(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    auto *unsorted = shared<typename Key<T>::Ordered>(), *sorted = unsorted + blockDim.x;
    T* values_of_sorted = shared<T>() + 2 * blockDim.x;
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
#if OPTION_PAYLOAD_VALUE
        shflbench::smem_rank::warp_sort(key, value, unsorted, sorted, values_of_sorted);
#else
        key = shflbench::smem_rank::warp_sort(key, unsorted, sorted);
#endif
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// The same with two copies of the keys, the second one less by 1: a lane compares its own key with 32 numbers that follow one
// another, and those of lower groups of four lanes need no other limit. The key itself is stored at its place.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_smem_rank_window(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    auto* unsorted = shared<typename Key<T>::Ordered>();
    T *sorted = shared<T>() + 2 * blockDim.x, *values_of_sorted = sorted + blockDim.x;
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
#if OPTION_PAYLOAD_VALUE
        shflbench::smem_rank_window::warp_sort(key, value, unsorted, sorted, values_of_sorted);
#else
        key = shflbench::smem_rank_window::warp_sort(key, unsorted, sorted);
#endif
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// In each step, the keys of those lanes are reversed that keep the larger one of two, so that all lanes keep the smaller
// one: a step takes one minimum, and no predicate.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_shfl_min(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        key = shflbench::shfl_min::warp_sort(key);
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// Keys of runs in descending order are reversed, so that in each step the upper lane of a pair keeps the maximum, and the lower
// one the minimum. No key is compared first: all lanes take the minimum, and by one of five predicates the maximum instead.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_shfl_min_max(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        key = shflbench::shfl_min_max::warp_sort(key);
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// Keys of runs in descending order are complemented, so that in each step the upper lane of a pair keeps the larger one.
// Five predicates serve all 15 steps; directions would take one per step, and a thread has only seven.
template <typename T>
__global__ void LAUNCH_BOUNDS
bitonic_sort_shfl_complement(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        key = shflbench::shfl_complement::warp_sort(key);
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

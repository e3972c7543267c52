// Sorts each warp's 32 keys in ascending order, one per lane, by a bitonic network of 15 exchanges; values move along.
#include "network.cuh"
#include "rank.cuh"
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

// Ranks instead of a network: each lane counts the keys that come before its own, which all lanes have stored, and stores
// its key at that place. Two arrays, so that the barrier after the stores of one also separates the reads of the other
// from the next stores.
template <typename T>
__global__ void LAUNCH_BOUNDS bitonic_sort_smem_rank(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                     int iterations) {
    auto* unsorted = shared<typename Key<T>::Ordered>() + first_of_warp();
    auto* sorted = unsorted + blockDim.x;
    T* sorted_value = shared<T>() + 2 * blockDim.x + first_of_warp();
    T key = keys[thread()], value = values[thread()];
    REPEAT(iterations) {
        const auto ordered = to_ordered(scrambled(key));
        unsorted[lane()] = ordered;
        __syncwarp();
        const int rank = rank_in_warp(ordered, unsorted);
        sorted[rank] = ordered;
        if (WITH_VALUES) sorted_value[rank] = value;
        __syncwarp();
        key = from_ordered<T>(sorted[lane()]);
        if (WITH_VALUES) value = sorted_value[lane()];
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = value;
}

// Reverses the order of keys: of all of them, or of those of lanes whose bit is 1. All integers are complemented by arithmetic
// (in PTX, because the compiler would undo it): the units for logic are busy with the minima.
__device__ inline float reverse(float key) { return -key; }
__device__ inline float reverse_if(int bit, float key) { return key * float(1 - 2 * bit); }
__device__ inline int reverse(int key) {
    int complement;
    asm("sub.s32 %0, -1, %1;" : "=r"(complement) : "r"(key));
    return complement;
}
__device__ inline int reverse_if(int bit, int key) { return key ^ -bit; }

// In each step, the keys of those lanes are reversed that keep the larger one of two, so that all lanes keep the smaller
// one: a step takes one minimum, and no predicate.
template <typename T>
__global__ void LAUNCH_BOUNDS bitonic_sort_shfl_min(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                    int iterations) {
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        int reversed = 0;
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                const int keeps_larger = (lane() / distance ^ lane() / size) & 1;
                key = reverse_if(reversed ^ keeps_larger, key);
                key = min(key, reverse(__shfl_xor_sync(FULL_WARP, key, distance)));
                reversed = keeps_larger;
            }
        }
        key = reverse_if(reversed, key);
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// Complements a key if the bit is 1, which reverses the order of such keys.
__device__ inline int complement_if(int bit, int key) { return key ^ -(bit & 1); }

// Keeps the larger key in the upper lane of a pair, the smaller one in the lower lane. `one` is 1, which the compiler
// must not know: a product moves the other key, because the units that multiply are idle. It would select by those that
// also compare.
__device__ inline void keep(int& key, int other, int upper, int one) {
    asm("{\n\t"
        ".reg .pred upper, kept;\n\t"
        "setp.ne.s32 upper, %2, 0;\n\t"
        "setp.lt.xor.s32 kept, %0, %1, upper;\n\t"
        "@!kept mad.lo.s32 %0, %1, %3, 0;\n\t"
        "}"
        : "+r"(key)
        : "r"(other), "r"(upper), "r"(one));
}

// Keys of runs in descending order are complemented, so that in each step the upper lane of a pair keeps the larger one.
// Five predicates serve all 15 steps; directions would take one per step, and a thread has only seven.
template <typename T>
__global__ void LAUNCH_BOUNDS bitonic_sort_shfl_complement(const T* keys, const T* values, T* sorted_keys,
                                                           T* sorted_values, int iterations) {
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    T key = keys[thread()];
    REPEAT(iterations) {
        key = complement_if(lane() / 2, scrambled(key));
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2)
                keep(key, __shfl_xor_sync(FULL_WARP, key, distance), lane() & distance, one);
            key = complement_if(lane() / size ^ lane() / (2 * size), key);  // if the direction of larger runs differs
        }
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// Challengers of `bitonic-sort` for keys of i32 without values.
#include "network.cuh"
#include "rank.cuh"
#include "shflbench.cuh"

__device__ inline int unknown_one() {  // 1, which the compiler does not know
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one;
}

// As count_less(), with a multiply-add in place of the addition: the units that compare do not have to add as well.
__device__ inline void count_less_by_product(int& count, int key, int limit, int one) {
    asm("{\n\t"
        ".reg .pred less;\n\t"
        "setp.lt.s32 less, %1, %2;\n\t"
        "@less mad.lo.s32 %0, %3, %3, %0;\n\t"
        "}"
        : "+r"(count) : "r"(key), "r"(limit), "r"(one));
}

__device__ inline int rank_by_products(int key, const int* keys, int one) {
    constexpr int COUNT = Wide<int>::COUNT;
    int counts[4] = {unsigned(key) == unsigned(-1) >> 1 ? lane() : 0};
#pragma unroll
    for (int i = 0; i < WARP / COUNT; ++i) {
        const int place = (lane() / COUNT + i) % (WARP / COUNT);
        const Wide<int> wide = load_wide(keys, place);
        for (int j = 0; j < COUNT; ++j) {
            const int is_lower = i == 0 ? j < lane() % COUNT : place < lane() / COUNT;
            count_less_by_product(counts[j % 4], wide.values[j], int(unsigned(key) + is_lower), one);
        }
    }
    return counts[0] + counts[1] + counts[2] + counts[3];
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank_mad(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                         int iterations) {
    int* unsorted = shared<int>() + first_of_warp();
    int* sorted = unsorted + blockDim.x;
    const int one = unknown_one();
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        unsorted[lane()] = key;
        __syncwarp();
        sorted[rank_by_products(key, unsorted, one)] = key;
        __syncwarp();
        key = sorted[lane()];
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// The same with loads at the same address for all lanes: of equal keys, that of the lower lane comes first by a comparison
// with a limit of its own for each load.
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank_broadcast(const T* keys, const T* values, T* sorted_keys,
                                                               T* sorted_values, int iterations) {
    int* unsorted = shared<int>() + first_of_warp();
    int* sorted = unsorted + blockDim.x;
    const int one = unknown_one();
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        unsorted[lane()] = key;
        __syncwarp();
        int counts[4] = {};
#pragma unroll
        for (int i = 0; i < WARP / 4; ++i) {
            const Wide<int> wide = load_wide(unsorted, i);
#pragma unroll
            for (int j = 0; j < 4; ++j) count_less_by_product(counts[j], wide.values[j], key, one);
        }
        // Scrambled keys are distinct: their lowest bits are the number of the lane.
        sorted[counts[0] + counts[1] + counts[2] + counts[3]] = key;
        __syncwarp();
        key = sorted[lane()];
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// smem-rank for distinct keys, with loads at one address for all lanes.
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank_distinct(const T* keys, const T* values, T* sorted_keys,
                                                              T* sorted_values, int iterations) {
    int* unsorted = shared<int>() + first_of_warp();
    int* sorted = unsorted + blockDim.x;
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        unsorted[lane()] = key;
        __syncwarp();
        int counts[2] = {};
#pragma unroll
        for (int i = 0; i < WARP / 4; ++i) {
            const Wide<int> wide = load_wide(unsorted, i);
#pragma unroll
            for (int j = 0; j < 4; ++j) count_less(counts[j % 2], wide.values[j], key);
        }
        sorted[counts[0] + counts[1]] = key;
        __syncwarp();
        key = sorted[lane()];
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// Half of the keys are compared by a multiply-add of 64 bits, whose upper half is -1 if a key is less; three are added at once.
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank_wide(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                          int iterations) {
    int* unsorted = shared<int>() + first_of_warp();
    int* sorted = unsorted + blockDim.x;
    const int one = unknown_one();
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);  // distinct
        unsorted[lane()] = key;
        __syncwarp();
        const long long minus = -(long long)key;
        int up[2] = {}, down = 0;
#pragma unroll
        for (int i = 0; i < WARP / 4; ++i) {
            const Wide<int> wide = load_wide(unsorted, i);
            int high[2];
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                count_less(up[j], wide.values[j], key);
                asm("{\n\t.reg .b64 wide;\n\t.reg .b32 low;\n\tmad.wide.s32 wide, %1, %2, %3;\n\t"
                    "mov.b64 {low, %0}, wide;\n\t}" : "=r"(high[j]) : "r"(wide.values[2 + j]), "r"(one), "l"(minus));
            }
            down = down + high[0] + high[1];
        }
        sorted[up[0] + up[1] - down] = key;
        __syncwarp();
        key = sorted[lane()];
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// The upper 15 bits of a key as a number of 16 bits with the same order: sign and magnitude.
__device__ inline unsigned half_of(int key) {
    const int high = key >> 17, sign = key >> 31;
    return unsigned(high ^ sign | sign & 0x8000) & 0xffffu;
}
__device__ inline unsigned less_halves(unsigned a, unsigned b) {  // 1.0 where it is less
    unsigned less;
    asm("set.lt.f16x2.f16x2 %0, %1, %2;" : "=r"(less) : "r"(a), "r"(b));
    return less;
}
__device__ inline unsigned add_halves(unsigned a, unsigned b) {
    unsigned sum;
    asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
// The rank by full keys, if upper bits of two keys of the warp are equal: then the ranks are not 0 to 31. All lanes call it.
__device__ inline int resolved(int rank, int key, int*) {
    if (__reduce_add_sync(FULL_WARP, unsigned(rank)) != WARP * (WARP - 1) / 2) {
        rank = 0;
#pragma unroll
        for (int j = 0; j < WARP; ++j) rank += __shfl_sync(FULL_WARP, key, j) < key;
    }
    return rank;
}

// Two keys per comparison, by their upper bits, as numbers of 16 bits; if two keys have equal ones, by all bits.
template <bool INTEGER_SUM>
__device__ int rank_by_halves(int key, unsigned short* halves) {
    const unsigned half = half_of(key), both = half * 0x10001u;
    halves[lane()] = half;
    __syncwarp();
    const uint4* wide = reinterpret_cast<const uint4*>(halves);
    if constexpr (INTEGER_SUM) {
        unsigned sum = 0;  // 15 << 10 for each key: in the lower half for even places, in the upper half for odd ones
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const uint4 keys = wide[i];
            sum = sum + less_halves(keys.x, both) + less_halves(keys.y, both);
            sum = sum + less_halves(keys.z, both) + less_halves(keys.w, both);
        }
        const unsigned counts = (sum >> 10) * 0xeeeeeeefu;  // divided by 15, modulo 2^22
        return counts + (counts >> 16) & 63;
    } else {
        unsigned even = 0x64006400u, odd = 0;  // 1024, so that the count is in the lowest bits
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const uint4 keys = wide[i];
            even = add_halves(even, less_halves(keys.x, both));
            odd = add_halves(odd, less_halves(keys.y, both));
            even = add_halves(even, less_halves(keys.z, both));
            odd = add_halves(odd, less_halves(keys.w, both));
        }
        even = add_halves(even, odd);
        return even + (even >> 16) & 63;
    }
}

template <bool INTEGER_SUM, typename T>
__device__ void sort_by_halves(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    int* unsorted = shared<int>() + first_of_warp();
    int* sorted = unsorted + blockDim.x;
    auto* halves = reinterpret_cast<unsigned short*>(shared<int>() + 2 * blockDim.x) + first_of_warp();
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        const int rank = resolved(rank_by_halves<INTEGER_SUM>(key, halves), key, unsorted);
        sorted[rank] = key;
        __syncwarp();
        key = sorted[lane()];
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank_halves(const T* keys, const T* values, T* sorted_keys,
                                                            T* sorted_values, int iterations) {
    sort_by_halves<false>(keys, values, sorted_keys, sorted_values, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank_halves_int(const T* keys, const T* values, T* sorted_keys,
                                                                T* sorted_values, int iterations) {
    sort_by_halves<true>(keys, values, sorted_keys, sorted_values, iterations);
}

// The upper 24 bits as whole numbers in f32: a difference, saturated to between 0 and 1, says whether a key is less. No unit
// that compares is needed.
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank_sat(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                         int iterations) {
    int* unsorted = shared<int>() + first_of_warp();
    int* sorted = unsorted + blockDim.x;
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        const float mine = float(key >> 8);
        reinterpret_cast<float*>(unsorted)[lane()] = mine;
        __syncwarp();
        float counts[4] = {8388608.0f};
#pragma unroll
        for (int i = 0; i < WARP / 4; ++i) {
            const Wide<float> wide = load_wide(reinterpret_cast<const float*>(unsorted), i);
#pragma unroll
            for (int j = 0; j < 4; ++j) counts[j] += __saturatef(mine - wide.values[j]);
        }
        const int found = __float_as_int((counts[0] + counts[1]) + (counts[2] + counts[3])) & 63;
        __syncwarp();
        sorted[resolved(found, key, unsorted)] = key;
        __syncwarp();
        key = sorted[lane()];
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

__device__ inline int product(int a, int b, int c) {
    int sum;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}

// shfl-min, whose complements are products: -1 - x and, in lanes of which a bit is 1, the same. Of each step, the units that
// compare take the minimum only; with MIXED, one more operation in every second step.
template <bool MIXED, typename T>
__device__ void sort_by_minima(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) {
    const int minus_one = -unknown_one();
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);
        int reversed = 0, step = 0;
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                const int keeps_larger = (lane() / distance ^ lane() / size) & 1;
                const int mask = -(reversed ^ keeps_larger);  // 0 or -1
                key = MIXED && step++ % 2 ? key ^ mask : product(key, 2 * mask + 1, mask);
                key = min(key, product(__shfl_xor_sync(FULL_WARP, key, distance), minus_one, minus_one));
                reversed = keeps_larger;
            }
        }
        key ^= -reversed;
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_min_mad(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                        int iterations) {
    sort_by_minima<false>(keys, values, sorted_keys, sorted_values, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_min_mixed(const T* keys, const T* values, T* sorted_keys,
                                                          T* sorted_values, int iterations) {
    sort_by_minima<true>(keys, values, sorted_keys, sorted_values, iterations);
}

// The minimum or the maximum, by a predicate: keys of descending runs are complemented, so that five predicates serve.
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_minmax(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                       int iterations) {
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key) ^ -(lane() / 2 & 1);
        #pragma unroll
        for (int size = 2; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                const int other = __shfl_xor_sync(FULL_WARP, key, distance);
                key = lane() & distance ? max(key, other) : min(key, other);
            }
            key ^= -((lane() / size ^ lane() / (2 * size)) & 1);
        }
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// The first three runs of the network (6 of 15 exchanges) by ranks among 8 keys; then 9 exchanges as in x-min-mad.
template <typename T>
__global__ void LAUNCH_BOUNDS my_bitonic_sort_x_rank8_min(const T* keys, const T* values, T* sorted_keys, T* sorted_values,
                                                          int iterations) {
    int* unsorted = shared<int>() + first_of_warp();
    int* sorted = unsorted + blockDim.x;
    const int one = unknown_one(), minus_one = -one;
    T key = keys[thread()];
    REPEAT(iterations) {
        key = scrambled(key);  // distinct
        unsorted[lane()] = key;
        __syncwarp();
        int counts[4] = {};
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const Wide<int> wide = load_wide(unsorted, lane() / 8 * 2 + i);
#pragma unroll
            for (int j = 0; j < 4; ++j) count_less_by_product(counts[j], wide.values[j], key, one);
        }
        const int rank = (counts[0] + counts[1]) + (counts[2] + counts[3]);
        sorted[lane() & 24 | (lane() & 8 ? 7 - rank : rank)] = key;
        __syncwarp();
        key = sorted[lane()];
        int reversed = 0;
        #pragma unroll
        for (int size = 16; size <= WARP; size *= 2) {
            #pragma unroll
            for (int distance = size / 2; distance > 0; distance /= 2) {
                const int keeps_larger = (lane() / distance ^ lane() / size) & 1;
                const int mask = -(reversed ^ keeps_larger);
                key = product(key, 2 * mask + 1, mask);
                key = min(key, product(__shfl_xor_sync(FULL_WARP, key, distance), minus_one, minus_one));
                reversed = keeps_larger;
            }
        }
        key ^= -reversed;
    }
    sorted_keys[thread()] = key;
    sorted_values[thread()] = values[thread()];
}

// The place of a key among the 32 keys of a warp, by counting.
#pragma once
#include "network.cuh"
#include "shflbench.cuh"
#include "wide.cuh"

// Load 16 bytes, all at once: the compiler would load some of the keys twice.
template <typename T>
__device__ Wide<T> load_wide(const T* keys, int place) {
    const float4 bits = volatile_load(reinterpret_cast<const float4*>(keys) + place);
    Wide<T> wide;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

// A whole number with the order of the key. Of a negative float, the bits but the sign are complemented.
__device__ inline int to_ordered(int key) { return key; }
__device__ inline long long to_ordered(long long key) { return key; }
__device__ inline int to_ordered(float key) {
    const int bits = __float_as_int(key);
    return bits ^ (bits >> 31 & 0x7fffffff);
}
__device__ inline long long to_ordered(double key) {
    const long long bits = __double_as_longlong(key);
    return bits ^ (bits >> 63 & 0x7fffffffffffffff);
}
// The key again. The same change undoes it.
template <typename T>
__device__ T from_ordered(typename Key<T>::Ordered ordered) {
    T key;
    memcpy(&key, &ordered, sizeof key);
    ordered = to_ordered(key);
    memcpy(&key, &ordered, sizeof key);
    return key;
}

// Counts a key if it is less than the limit. In PTX, because the compiler would add 1 and then select one of two numbers.
__device__ inline void count_less(int& count, int key, int limit) {
    asm("{\n\t"
        ".reg .pred less;\n\t"
        "setp.lt.s32 less, %1, %2;\n\t"
        "@less add.s32 %0, %0, 1;\n\t"
        "}"
        : "+r"(count)
        : "r"(key), "r"(limit));
}
__device__ inline void count_less(int& count, long long key, long long limit) {
    asm("{\n\t"
        ".reg .pred less;\n\t"
        "setp.lt.s64 less, %1, %2;\n\t"
        "@less add.s32 %0, %0, 1;\n\t"
        "}"
        : "+r"(count)
        : "l"(key), "l"(limit));
}

// How many keys come before the own one: the smaller ones, and of equal ones those of lower lanes. A key of a lower lane
// is compared with the own key plus 1. For the largest number, the sum wraps and no key is less: all lower lanes count.
// Each lane begins with the load that has its own key, so that the keys of the other loads are all of lower lanes or none.
template <typename T>
__device__ int rank_in_warp(T key, const T* keys) {
    using Bits = typename Key<T>::Bits;
    constexpr int COUNT = Wide<T>::COUNT;
    int counts[4] = {Bits(key) == Bits(-1) >> 1 ? lane() : 0};
#pragma unroll
    for (int i = 0; i < WARP / COUNT; ++i) {
        const int place = (lane() / COUNT + i) % (WARP / COUNT);
        const Wide<T> wide = load_wide(keys, place);
        for (int j = 0; j < COUNT; ++j) {
            const int is_lower = i == 0 ? j < lane() % COUNT : place < lane() / COUNT;
            count_less(counts[j % 4], wide.values[j], T(Bits(key) + is_lower));
        }
    }
    return counts[0] + counts[1] + counts[2] + counts[3];
}

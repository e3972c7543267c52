// What a lane does in the bitonic network, and what happens to its key between two sorts.
#pragma once
#include "shflbench.cuh"

#if OPTION_PAYLOAD_VALUE
constexpr bool WITH_VALUES = true;
#else
constexpr bool WITH_VALUES = false;
#endif

// The 15 steps for 32 keys: runs of 2 are merged to runs of 4, and so on, over falling distances.
#define MERGE(size) _Pragma("unroll") for (int size = 2; size <= WARP; size *= 2)
#define STEP(size, distance) _Pragma("unroll") for (int distance = size / 2; distance > 0; distance /= 2)

// Whether the other key is the one to keep. Of a pair the upper lane keeps the larger key, the lower lane the
// smaller one; in every second run, which is sorted downwards, it is the other way round. No two keys are
// equal: both lanes would keep the same one of them, and the value of the other would be lost.
template <typename T>
__device__ bool takes_other(T mine, T other, int size, int distance) {
    const bool upper = lane() & distance, downwards = lane() & (size % WARP);
    return (mine < other) == (upper != downwards);
}

__device__ inline unsigned bits_of(int key) { return unsigned(key); }
__device__ inline unsigned bits_of(float key) { return __float_as_uint(key); }
__device__ inline unsigned long long bits_of(long long key) { return (unsigned long long)key; }
__device__ inline unsigned long long bits_of(double key) { return __double_as_longlong(key); }

__device__ inline void set_bits(int& key, unsigned bits) { key = int(bits); }
__device__ inline void set_bits(float& key, unsigned bits) { key = __uint_as_float(bits); }
__device__ inline void set_bits(long long& key, unsigned long long bits) { key = (long long)bits; }
__device__ inline void set_bits(double& key, unsigned long long bits) { key = __longlong_as_double(bits); }

// The bits of a key that change: all of an integer, the fraction of a float, whose value stays from 1 to 2.
template <typename T> struct Key { static constexpr unsigned changing = ~0u, fixed = 0; };
template <> struct Key<float> { static constexpr unsigned changing = 0x007fffff, fixed = 0x3f800000; };
template <> struct Key<long long> { static constexpr unsigned long long changing = ~0ull, fixed = 0; };
template <> struct Key<double> {
    static constexpr unsigned long long changing = 0x000fffffffffffff, fixed = 0x3ff0000000000000;
};

// Another key in no order, so that the next sort starts anew: the bits times an odd number (2^64 divided by the
// golden ratio), which brings each of them into the high ones. The lowest five become the lane's number: keys
// in two lanes are never equal, and a key in the wrong lane becomes another key.
template <typename T>
__device__ T scrambled(T key) {
    const auto bits = bits_of(key) * decltype(bits_of(key))(0x9e3779b97f4a7c15);
    set_bits(key, (bits & Key<T>::changing & ~31ull) | (Key<T>::fixed | lane()));
    return key;
}

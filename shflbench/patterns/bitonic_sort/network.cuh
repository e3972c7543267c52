// What a lane does in the bitonic network, and what happens to its key between two sorts.
#pragma once
#include "shflbench.cuh"

#if OPTION_PAYLOAD_VALUE
constexpr bool WITH_VALUES = true;
#else
constexpr bool WITH_VALUES = false;
#endif

// Whether the other key is the one to keep. Of a pair the upper lane keeps the larger key, the lower lane the
// smaller one; in every second run, which is sorted downwards, it is the other way round. No two keys are
// equal: both lanes would keep the same one of them, and the value of the other would be lost.
template <typename T>
__device__ bool takes_other(T mine, T other, int size, int distance) {
    const bool upper = lane() & distance, downwards = lane() & (size % WARP);
    return (mine < other) == (upper != downwards);
}

// A key as a number of its size, and the bits that change: all of an integer, the fraction of a float, whose value stays
// from 1 to 2.
template <typename T> struct Key { using Bits = unsigned; static constexpr Bits changing = ~0u, fixed = 0; };
template <> struct Key<float> {
    using Bits = unsigned;
    static constexpr Bits changing = 0x007fffff, fixed = 0x3f800000;
};
template <> struct Key<long long> {
    using Bits = unsigned long long;
    static constexpr Bits changing = ~0ull, fixed = 0;
};
template <> struct Key<double> {
    using Bits = unsigned long long;
    static constexpr Bits changing = 0x000fffffffffffff, fixed = 0x3ff0000000000000;
};

// Another key in no order, so that the next sort starts anew: the bits times an odd number (2^64 divided by the
// golden ratio), which brings each of them into the high ones. The lowest five become the lane's number: keys
// in two lanes are never equal, and a key in the wrong lane becomes another key.
template <typename T>
__device__ T scrambled(T key) {
    typename Key<T>::Bits bits;
    memcpy(&bits, &key, sizeof bits);
    bits *= decltype(bits)(0x9e3779b97f4a7c15);
    bits = (bits & Key<T>::changing & ~31ull) | (Key<T>::fixed | lane());
    memcpy(&key, &bits, sizeof bits);
    return key;
}

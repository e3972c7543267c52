// The step of a lane in the bitonic network, and the change of its key between two sorts.
#pragma once
#include "shflbench.cuh"

#if OPTION_PAYLOAD_VALUE
constexpr bool WITH_VALUES = true;
#else
constexpr bool WITH_VALUES = false;
#endif

// Whether to keep the other key. Of a pair the upper lane keeps the larger key, the lower lane the smaller one;
// in every second run, which is sorted in descending order, the reverse. No two keys are equal: otherwise both
// lanes would keep the same one, and the value of the other one would be lost.
template <typename T>
__device__ bool takes_other(T mine, T other, int size, int distance) {
    const bool upper = lane() & distance, downwards = lane() & (size % WARP);
    return (mine < other) == (upper != downwards);
}

// A key as an integer of its size, and as one with a sign that has the order of the keys. The bits that change are all bits
// of an integer, and the fraction of a float, which then stays between 1 and 2.
template <typename T> struct Key {
    using Bits = unsigned;
    using Ordered = int;
    static constexpr Bits changing = ~0u, fixed = 0;
};
template <> struct Key<float> {
    using Bits = unsigned;
    using Ordered = int;
    static constexpr Bits changing = 0x007fffff, fixed = 0x3f800000;
};
template <> struct Key<long long> {
    using Bits = unsigned long long;
    using Ordered = long long;
    static constexpr Bits changing = ~0ull, fixed = 0;
};
template <> struct Key<double> {
    using Bits = unsigned long long;
    using Ordered = long long;
    static constexpr Bits changing = 0x000fffffffffffff, fixed = 0x3ff0000000000000;
};

// A key in random order, so that the next sort starts anew: the bits times an odd number (2^64 divided by the
// golden ratio), so that each of them influences the high bits. The lowest five become the lane number: keys in
// two lanes are never equal, and a key in a wrong lane becomes a different key.
template <typename T>
__device__ T scrambled(T key) {
    typename Key<T>::Bits bits;
    memcpy(&bits, &key, sizeof bits);
    bits *= decltype(bits)(0x9e3779b97f4a7c15);
    bits = (bits & Key<T>::changing & ~31ull) | (Key<T>::fixed | lane());
    memcpy(&key, &bits, sizeof bits);
    return key;
}

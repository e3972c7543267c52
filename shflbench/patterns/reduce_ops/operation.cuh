// The operation of `reduce-ops`, and the next value from its result.
#pragma once
#include "shflbench.cuh"

// The function of copy.cu for the operation.
#if OPTION_OP_MIN
#define WARP_OPERATION warp_min
#elif OPTION_OP_MAX
#define WARP_OPERATION warp_max
#elif OPTION_OP_AND
#define WARP_OPERATION warp_and
#elif OPTION_OP_OR
#define WARP_OPERATION warp_or
#elif OPTION_OP_XOR
#define WARP_OPERATION warp_xor
#else
#define WARP_OPERATION warp_add
#endif

// The operation itself.
template <typename T>
__device__ T combine(T a, T b) {
#if OPTION_OP_MIN
    return a < b ? a : b;
#elif OPTION_OP_MAX
    return a > b ? a : b;
#elif OPTION_OP_AND
    return a & b;
#elif OPTION_OP_OR
    return a | b;
#elif OPTION_OP_XOR
    return a ^ b;
#else
    return add(a, b);
#endif
}

// What a lane contributes. For 32 arbitrary numbers `and` clears almost all bits, and `or` sets them: for these
// operations each lane clears, or sets, one bit that its value selects.
template <typename T>
__device__ T contribution(T x) {
#if OPTION_OP_AND
    return ~T(1u << (unsigned(x) >> 27));
#elif OPTION_OP_OR
    return T(1u << (unsigned(x) >> 27));
#else
    return x;
#endif
}

// The next value. The factor is odd (2^32 divided by the golden ratio), so that different lanes stay different,
// and large, so that in each iteration another lane decides about minimum and maximum.
template <typename T>
__device__ T advance(T x, T result) { return T(unsigned(result) + unsigned(x) * 0x9e3779b1u); }

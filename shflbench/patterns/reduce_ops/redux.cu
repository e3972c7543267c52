// All lanes get the result of an operation over the warp's values, by one instruction.
#include "operation.cuh"
#include "shflbench.cuh"

// The bitwise operations take only unsigned values.
__device__ inline int reduced(int x) {
#if OPTION_OP_MIN
    return __reduce_min_sync(FULL_WARP, x);
#elif OPTION_OP_MAX
    return __reduce_max_sync(FULL_WARP, x);
#elif OPTION_OP_AND
    return __reduce_and_sync(FULL_WARP, unsigned(x));
#elif OPTION_OP_OR
    return __reduce_or_sync(FULL_WARP, unsigned(x));
#elif OPTION_OP_XOR
    return __reduce_xor_sync(FULL_WARP, unsigned(x));
#else
    return __reduce_add_sync(FULL_WARP, x);
#endif
}

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_redux(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, reduced(contribution(x)));
    result[thread()] = x;
}

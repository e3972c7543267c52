// Challengers of the broadcast from the last lane whose predicate is true.
#include "last.cuh"
#include "shflbench.cuh"

#define KERNEL(name, ...) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_broadcast_last_##name(const T* values, T* result, int iterations) { \
        const Holds holds; \
        T x = values[thread()]; \
        REPEAT(iterations) { __VA_ARGS__ } \
        result[thread()] = x; \
    }
__device__ inline int highest_bit(unsigned bits) {
    int place;
    asm("bfind.u32 %0, %1;" : "=r"(place) : "r"(bits));
    return place;
}
__device__ inline int exponent(unsigned lanes) { return (__float_as_int(__uint2float_rz(lanes)) >> 23) + 1; }

// ---- published ----
KERNEL(ballot, {
    const int last = highest_bit(__ballot_sync(FULL_WARP, holds(x)));
    const T got = __shfl_sync(FULL_WARP, x, last);
    x = mix(x, last < 0 ? x : got);
})
KERNEL(ballot_float, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    const T got = __shfl_sync(FULL_WARP, x, exponent(lanes));
    x = mix(x, lanes == 0 ? x : got);
})
KERNEL(ballot_own, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    const float own = __int_as_float((96 + threadIdx.x % 32) << 23);
    const float sum = __fmaf_rz(__uint2float_rz(lanes), 2.0f, own);
    x = mix(x, __shfl_sync(FULL_WARP, x, __float_as_int(sum) >> 23));
})

// ---- challengers ----
// The shuffle itself returns the own value if its source is above the clamp, the third operand. The mask, at most 31, is such a
// clamp: a mask that is not zero is at least as large as the place of its highest bit; zero is less than 31 and 1.
__device__ inline float shfl_up_to(float x, int source, unsigned clamp) {
    float got;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;" : "=f"(got) : "f"(x), "r"(source), "r"(clamp));
    return got;
}
KERNEL(x_clamp, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    x = mix(x, shfl_up_to(x, highest_bit(lanes), min(lanes, 31u)));
})
KERNEL(x_clamp_float, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    x = mix(x, shfl_up_to(x, exponent(lanes), min(lanes, 31u)));
})
// The place as the exponent of a product: 2^(32 - 1)·mask has the exponent's lowest five bits equal to the place.
KERNEL(x_clamp_scaled, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    const unsigned bits = __float_as_uint(__uint2float_rz(lanes) * 2.0f);
    x = mix(x, shfl_up_to(x, (bits >> 23) | (lanes == 0 ? 31 : 0), min(lanes, 31u)));
})
// The lowest lane of the mirrored mask: the mask is reversed, so that the place counts from the other end.
KERNEL(x_clamp_clz, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    x = mix(x, shfl_up_to(x, ~__clz(int(lanes)), min(lanes, 31u)));
})
// A selection between two mixed values in place of one before: by a predicate of the multiply-add.
__device__ inline float mix_if(unsigned lanes, float x, float got) {
    int mixed;
    asm("{\n\t.reg .pred some;\n\tsetp.ne.u32 some, %3, 0;\n\tmul.lo.u32 %0, %1, 3;\n\t@some mad.lo.u32 %0, %2, 2, %1;\n\t}"
        : "=&r"(mixed) : "r"(__float_as_int(x)), "r"(__float_as_int(got)), "r"(lanes));
    return __int_as_float(mixed);
}
KERNEL(x_mix_if, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    x = mix_if(lanes, x, __shfl_sync(FULL_WARP, x, highest_bit(lanes)));
})
KERNEL(x_mix_if_float, {
    const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
    x = mix_if(lanes, x, __shfl_sync(FULL_WARP, x, exponent(lanes)));
})

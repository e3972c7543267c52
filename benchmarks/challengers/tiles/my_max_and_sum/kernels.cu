// Challengers of max-and-sum.
#include "pair.cuh"
#include "shflbench.cuh"

struct MaxAndSum {
    float max, sum;
};
__device__ inline float power_of_2(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
__device__ inline int ordered(int bits) { return bits ^ (bits >> 31 & 0x7fffffff); }
__device__ inline float warp_max(float x) {
    return __int_as_float(ordered(__reduce_max_sync(FULL_WARP, ordered(__float_as_int(x)))));
}

// D = A * B for matrices of 8x4 and 4x8 numbers in f64, where all of A are 1: each product is exact, and infinite values stay
// what they are.
__device__ inline void sum_four_lanes(double& d0, double& d1, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
        : "=d"(d0), "=d"(d1) : "d"(1.0), "d"(b), "d"(0.0));
}
__device__ inline float dmma_sum(float x) {
    double even, odd, all, same;
    sum_four_lanes(even, odd, double(x));    // of the four lanes of group 2 * (lane % 4), and of the next group
    sum_four_lanes(all, same, even + odd);   // four lanes have all of these
    return float(all);
}
__device__ inline float dmma_shfl_sum(float x) {
    double even, odd;
    sum_four_lanes(even, odd, double(x));
    float sum = float(even + odd);
    sum += __shfl_xor_sync(FULL_WARP, sum, 1);
    sum += __shfl_xor_sync(FULL_WARP, sum, 2);
    return sum;
}
__device__ inline float shfl_dmma_sum(float x) {
    x += __shfl_xor_sync(FULL_WARP, x, 16);
    x += __shfl_xor_sync(FULL_WARP, x, 8);
    x += __shfl_xor_sync(FULL_WARP, x, 4);
    double all, same;
    sum_four_lanes(all, same, double(x));
    return float(all);
}
__device__ inline float shfl_sum(float x) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) x += __shfl_xor_sync(FULL_WARP, x, distance);
    return x;
}
__device__ inline float of_four(float4 x) { return (x.x + x.y) + (x.z + x.w); }

// All 32 values by 8 loads.
__device__ inline float wide_sum(float x, float* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const float4* const wide = reinterpret_cast<const float4*>(slots + first_of_warp());
    float sum[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) sum[i] = of_four(wide[i]);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}
// 16 values by 4 loads, and those of the other half by one shuffle.
__device__ inline float wide16_sum(float x, float* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const float4* const wide = reinterpret_cast<const float4*>(slots + threadIdx.x / 16 * 16);
    const float sum = (of_four(wide[0]) + of_four(wide[1])) + (of_four(wide[2]) + of_four(wide[3]));
    return sum + __shfl_xor_sync(FULL_WARP, sum, 16);
}
__device__ inline float wide8_sum(float x, float* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const float4* const wide = reinterpret_cast<const float4*>(slots + threadIdx.x / 8 * 8);
    const float sum = of_four(wide[0]) + of_four(wide[1]);
    const float second = __shfl_xor_sync(FULL_WARP, sum, 8);
    const float third = __shfl_xor_sync(FULL_WARP, sum, 16);
    const float fourth = __shfl_xor_sync(FULL_WARP, sum, 24);
    return (sum + second) + (third + fourth);
}

constexpr float MOST = 32;

// As `rescale-smem8-shfl`, whose second sum the compiler expects never to need; the other one is tried for all launches.
#define RESCALE_KERNEL(name, SUM) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_max_and_sum_##name(const unsigned* states, unsigned* result, int iterations) { \
        float *now = shared<float>(), *next = now + blockDim.x; \
        float earlier = 1000; \
        unsigned state = states[thread()]; \
        REPEAT(iterations) { \
            const MaxAndSum pair = pair_of(state); \
            const float max = warp_max(pair.max); \
            const float scale = power_of_2(earlier - max); \
            float sum = SUM(pair.sum * power_of_2(pair.max - earlier), now) * scale; \
            float* const written = now; \
            now = next; \
            next = written; \
            if (__builtin_expect(!(fabsf(max - earlier) <= MOST), 0)) { \
                __syncwarp(); \
                sum = SUM(pair.sum * power_of_2(pair.max - max), written); \
            } \
            earlier = max; \
            state = advance(state, MaxAndSum{max, sum}); \
        } \
        result[thread()] = state; \
    }
RESCALE_KERNEL(x_rescale_wide, wide_sum)
RESCALE_KERNEL(x_rescale_wide16, wide16_sum)
RESCALE_KERNEL(x_rescale_likely, wide8_sum)
#define DMMA_SUM(x, slots) dmma_sum(x)
#define SHFL_SUM(x, slots) shfl_sum(x)
RESCALE_KERNEL(x_rescale_dmma, DMMA_SUM)
RESCALE_KERNEL(x_rescale_shfl, SHFL_SUM)

// Without a branch: sums are relative to the maximum before, and, for maxima far apart, to that of now.
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_rescale_vote(const unsigned* states, unsigned* result, int iterations) {
    float *now = shared<float>(), *next = now + blockDim.x;
    float earlier = 1000;
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const MaxAndSum pair = pair_of(state);
        const float max = warp_max(pair.max);
        float sum = wide_sum(pair.sum * power_of_2(pair.max - earlier), now);
        float* const written = now;
        now = next;
        next = written;
        if (__any_sync(FULL_WARP, !(fabsf(max - earlier) <= MOST))) {
            __syncwarp();
            earlier = max;
            sum = wide_sum(pair.sum * power_of_2(pair.max - max), written);
        }
        sum *= power_of_2(earlier - max);
        earlier = max;
        state = advance(state, MaxAndSum{max, sum});
    }
    result[thread()] = state;
}

#define REDUX_KERNEL(name, SUM) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_max_and_sum_##name(const unsigned* states, unsigned* result, int iterations) { \
        unsigned state = states[thread()]; \
        REPEAT(iterations) { \
            const MaxAndSum pair = pair_of(state); \
            const float max = warp_max(pair.max); \
            state = advance(state, MaxAndSum{max, SUM(pair.sum * power_of_2(pair.max - max))}); \
        } \
        result[thread()] = state; \
    }
REDUX_KERNEL(x_redux_dmma, dmma_sum)
REDUX_KERNEL(x_redux_dmma_shfl, dmma_shfl_sum)
REDUX_KERNEL(x_redux_shfl_dmma, shfl_dmma_sum)

// The maximum of numbers that are not all negative is that of their bits; otherwise it is the least of the bits.
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_redux_sign(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const MaxAndSum pair = pair_of(state);
        int bits = __reduce_max_sync(FULL_WARP, __float_as_int(pair.max));
        if (__builtin_expect(bits < 0, 0)) bits = __reduce_min_sync(FULL_WARP, __float_as_int(pair.max));
        const float max = __int_as_float(bits);
        state = advance(state, MaxAndSum{max, shfl_sum(pair.sum * power_of_2(pair.max - max))});
    }
    result[thread()] = state;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_redux_sign_dmma(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const MaxAndSum pair = pair_of(state);
        int bits = __reduce_max_sync(FULL_WARP, __float_as_int(pair.max));
        if (__builtin_expect(bits < 0, 0)) bits = __reduce_min_sync(FULL_WARP, __float_as_int(pair.max));
        const float max = __int_as_float(bits);
        state = advance(state, MaxAndSum{max, dmma_sum(pair.sum * power_of_2(pair.max - max))});
    }
    result[thread()] = state;
}

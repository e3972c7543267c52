// challenge max-and-sum --shared 8*threads --launch 'sms x 32' --launch '2*sms x 1024'
#include "pair.cuh"
#include "shflbench.cuh"

namespace mine {

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

// The sum of the warp: a product with a matrix of ones adds each number, in two parts of 11 digits, over four lanes; two of
// its results are the sums of eight lanes; two shuffles do the rest. 22 digits are what five rounded additions have.
struct Ones {  // in registers that the compiler does not fill again for each product
    unsigned one[4];
    __device__ Ones() {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            asm("min.u32 %0, %1, 1;" : "=r"(one[i]) : "r"(threadIdx.x + i + 1));
            one[i] *= 0x3F800000u;
        }
    }
};
__device__ inline float of_eight(float x, const Ones& ones) {
    const unsigned high = __float_as_uint(x) & 0xFFFFE000u;
    const float low = fminf(x - __uint_as_float(high), 3.402823466e38f);  // no NaN where x is infinite
    float a, b, c, d;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%6, %7, %8, %9}, {%4, %5}, {%10, %10, %10, %10};"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(high), "r"(__float_as_uint(low)), "r"(ones.one[0]), "r"(ones.one[1]),
                   "r"(ones.one[2]), "r"(ones.one[3]), "f"(0.0f));
    return a + b;
}
__device__ inline float sum_by_matrix(float x, const Ones& ones) {
    float sum = of_eight(x, ones);
    sum += __shfl_xor_sync(FULL_WARP, sum, 1);
    return sum + __shfl_xor_sync(FULL_WARP, sum, 2);
}
// The last two steps as three shuffles that do not wait for one another.
__device__ inline float sum_by_matrix_apart(float x, const Ones& ones) {
    const float sum = of_eight(x, ones);
    const float b = __shfl_xor_sync(FULL_WARP, sum, 1), c = __shfl_xor_sync(FULL_WARP, sum, 2),
                d = __shfl_xor_sync(FULL_WARP, sum, 3);
    return (sum + b) + (c + d);
}

}  // namespace mine

// REDUX for the maximum, the matrix unit for three of the five steps of the sum.
template <typename T>
__global__ void LAUNCH_BOUNDS x_redux_matrix(const unsigned* states, unsigned* result, int iterations) {
    const mine::Ones ones;
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const float max = mine::warp_max(own.max);
        const float sum = mine::sum_by_matrix(own.sum * mine::power_of_2(own.max - max), ones);
        state = advance(state, mine::MaxAndSum{max, sum});
    }
    result[thread()] = state;
}

// The same, and no sum waits for its maximum: sums are relative to the maximum before, scaled at the end.
template <typename T>
__global__ void LAUNCH_BOUNDS x_rescale_matrix(const unsigned* states, unsigned* result, int iterations) {
    float earlier = 1000;  // far from all maxima: the first iteration calculates its sum again
    const mine::Ones ones;
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const float max = mine::warp_max(own.max);
        float sum = mine::sum_by_matrix_apart(own.sum * mine::power_of_2(own.max - earlier), ones) * mine::power_of_2(earlier - max);
        if (!(fabsf(max - earlier) <= 32)) sum = mine::sum_by_matrix_apart(own.sum * mine::power_of_2(own.max - max), ones);
        earlier = max;
        state = advance(state, mine::MaxAndSum{max, sum});
    }
    result[thread()] = state;
}

// The sum relative to the earlier maximum; all values of the warp in one step, 16 bytes per load.
template <typename T>
__global__ void LAUNCH_BOUNDS x_rescale_wide(const unsigned* states, unsigned* result, int iterations) {
    float *now = shared<float>(), *next = now + blockDim.x;
    float earlier = 1000;
    unsigned state = states[thread()];
    const auto sum_of_slots = [&](float x) {
        now[threadIdx.x] = x;
        __syncwarp();
        const float4* const wide = reinterpret_cast<const float4*>(now + first_of_warp());
        float parts[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const float4 four = wide[i];
            parts[i] = (four.x + four.y) + (four.z + four.w);
        }
        swap(now, next);
        return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
    };
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const float max = mine::warp_max(own.max);
        float sum = sum_of_slots(own.sum * mine::power_of_2(own.max - earlier)) * mine::power_of_2(earlier - max);
        if (!(fabsf(max - earlier) <= 32)) sum = sum_of_slots(own.sum * mine::power_of_2(own.max - max));
        earlier = max;
        state = advance(state, mine::MaxAndSum{max, sum});
    }
    result[thread()] = state;
}

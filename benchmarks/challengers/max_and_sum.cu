// Challengers of `max-and-sum`.
#include "pair.cuh"
#include "shflbench.cuh"
#include "tf32.cuh"
#include "wide.cuh"

// The maximum as in `redux`.
__device__ inline int ordered(int bits) { return bits ^ (bits >> 31 & 0x7FFFFFFF); }
__device__ inline float max_by_redux(float x) {
    return __int_as_float(ordered(__reduce_max_sync(FULL_WARP, ordered(__float_as_int(x)))));
}
// Then the sum by two products with a matrix of ones.
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_redux_mma(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const T max = max_by_redux(own.max);
        state = advance(state, {max, sum_by_matrix<2>(own.sum * power_of_2(own.max - max))});
    }
    result[thread()] = state;
}

// Then the sum through shared memory: one store, and each lane loads all values, 16 bytes at a time. Two buffers in turn.
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_redux_wide(const unsigned* states, unsigned* result, int iterations) {
    float* slots = shared<float>() + 2 * first_of_warp();
    unsigned state = states[thread()];
    REPEAT(iterations) {
        float* now = slots + iteration % 2 * WARP;
        const Pair own = pair_of(state);
        const T max = max_by_redux(own.max);
        now[lane()] = own.sum * power_of_2(own.max - max);
        __syncwarp();
        float sums[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) sums[i] = reinterpret_cast<const Wide<float>*>(now)[i].sum();
        state = advance(state, {max, ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))});
    }
    result[thread()] = state;
}

// The same, except that a lane loads the values of eight lanes, and three shuffles do not wait for one another.
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_redux_smem8(const unsigned* states, unsigned* result, int iterations) {
    float* slots = shared<float>() + 2 * first_of_warp();
    unsigned state = states[thread()];
    REPEAT(iterations) {
        float* now = slots + iteration % 2 * WARP;
        const Pair own = pair_of(state);
        const T max = max_by_redux(own.max);
        now[lane()] = own.sum * power_of_2(own.max - max);
        __syncwarp();
        state = advance(state, {max, sum_by_groups(now)});
    }
    result[thread()] = state;
}

// Sums relative to an earlier maximum, while REDUX finds the one of now; the sum is scaled at the end, as in FlashAttention 4.
// If the two differ too much for that, everything is calculated again (all lanes take the same branch).
constexpr float FAR = 32;
template <typename T, typename SumOf>
__device__ void lazily(const unsigned* states, unsigned* result, int iterations, SumOf sum_of) {
    unsigned state = states[thread()];
    float reference = max_by_redux(pair_of(state).max);
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const T max = max_by_redux(own.max);
        T sum = sum_of(own.sum * power_of_2(own.max - reference), 2 * (iteration % 2)), scale = power_of_2(reference - max);
        if (fabsf(max - reference) > FAR) {
            sum = sum_of(own.sum * power_of_2(own.max - max), 2 * (iteration % 2) + 1);
            scale = 1;
        }
        state = advance(state, {max, sum * scale});
        reference = max;
    }
    result[thread()] = state;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_lazy_smem8(const unsigned* states, unsigned* result, int iterations) {
    float* slots = shared<float>() + 4 * first_of_warp();
    lazily<T>(states, result, iterations, [=](float x, int buffer) {
        float* now = slots + buffer * WARP;
        now[lane()] = x;
        __syncwarp();
        return sum_by_groups(now);
    });
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_lazy_mma(const unsigned* states, unsigned* result, int iterations) {
    lazily<T>(states, result, iterations, [](float x, int) { return sum_by_matrix<2>(x); });
}

// The sum by REDUX, too, in fixed point: with 26 bits for the largest of the scaled sums, which are not negative. Each is
// rounded once, by half of 2^-26 of the power of two at or below the largest: together at most 2^-22 of the sum.
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_redux_three(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const T max = max_by_redux(own.max);
        const float scaled = own.sum * power_of_2(own.max - max);
        const unsigned exponent = __reduce_max_sync(FULL_WARP, __float_as_uint(scaled)) & 0x7F800000u;
        const float to_fixed = __uint_as_float((2u * 127 + 26 << 23) - exponent), from_fixed = __uint_as_float(exponent - (26u << 23));
        const unsigned total = __reduce_add_sync(FULL_WARP, __float2uint_rn(scaled * to_fixed));
        state = advance(state, {max, __uint2float_rn(total) * from_fixed});
    }
    result[thread()] = state;
}

// The same with a fixed point of 2^-16: for a sum below 2^16; its error is at most 2^-12. Like that of `half-pair`, it suits a
// sum of at least 1, as the pair of the largest number has.
template <typename T>
__global__ void LAUNCH_BOUNDS my_max_and_sum_x_redux_fixed(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const T max = max_by_redux(own.max);
        const float scaled = own.sum * 65536.0f * power_of_2(own.max - max);
        const unsigned total = __reduce_add_sync(FULL_WARP, __float2uint_rn(scaled));
        state = advance(state, {max, __uint2float_rn(total) * (1 / 65536.0f)});
    }
    result[thread()] = state;
}

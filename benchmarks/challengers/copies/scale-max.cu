// challenge scale-max --dtype f32 --option group=16 --option words=1 --launch 'sms x 32' --launch 'sms x 256' --launch '2*sms x 1024'
// challenge scale-max --dtype bf16 --option group=32 --option words=1 --launch 'sms x 32' --launch 'sms x 256' --launch '2*sms x 1024'
// challenge scale-max --dtype bf16 --option group=16 --option words=1 --launch 'sms x 32' --launch 'sms x 256' --launch '2*sms x 1024'
// challenge scale-max --dtype f32 --option group=32 --option words=1 --launch 'sms x 32' --launch 'sms x 256' --launch '2*sms x 1024'
#include "shflbench.cuh"
#include "values.cuh"

namespace mine {

template <typename T>
constexpr bool IS_PAIR = sizeof(T) == 2;
template <typename T>
constexpr int LANES = OPTION_GROUP * int(sizeof(T)) / (4 * WORDS);  // adjacent lanes of a group
template <typename T>
constexpr int GROUPS = WARP / LANES<T>;

// Maxima of floats: signs do not count, a NaN neither.
__device__ inline unsigned larger(unsigned a, unsigned b) {
    return __float_as_uint(fmaxf(fabsf(__uint_as_float(a)), fabsf(__uint_as_float(b))));
}
__device__ inline unsigned larger_pair(unsigned a, unsigned b) {
    unsigned result;
    asm("max.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
}

// Magnitudes of pairs.
__device__ inline unsigned larger_magnitudes(unsigned a, unsigned b) {
    return larger_pair(a & 0x7FFF7FFFu, b & 0x7FFF7FFFu);
}

// The largest magnitude in the words of a lane: f32, or two bf16 that are the largest of their halves.
template <typename T>
__device__ unsigned of_lane(const unsigned (&words)[WORDS]) {
    if constexpr (WORDS == 1) return words[0] & (IS_PAIR<T> ? 0x7FFF7FFFu : 0x7FFFFFFFu);
    unsigned a = IS_PAIR<T> ? larger_magnitudes(words[0], words[1]) : larger(words[0], words[1]);
    if constexpr (WORDS == 4) {
        const unsigned b = IS_PAIR<T> ? larger_magnitudes(words[2], words[3]) : larger(words[2], words[3]);
        a = IS_PAIR<T> ? larger_magnitudes(a, b) : larger(a, b);
    }
    return a;
}
// Butterflies with the fewest instructions.
template <typename T>
__device__ unsigned by_shuffles(const unsigned (&words)[WORDS]) {
    if constexpr (IS_PAIR<T>) {
        unsigned key = of_lane<T>(words);
#pragma unroll
        for (int distance = 1; distance < LANES<T>; distance *= 2) key = larger_pair(key, shfl_xor(key, distance));
        return max(key & 0xFFFFu, key >> 16);
    } else {
        unsigned key = WORDS == 1 ? words[0] : of_lane<T>(words);
#pragma unroll
        for (int distance = 1; distance < LANES<T>; distance *= 2) key = larger(key, shfl_xor(key, distance));
        return key;
    }
}

// For each group of the warp: all bits in its lanes, none in the others, and 1 or 0.
template <typename T>
struct Groups {
    unsigned mask[GROUPS<T>], one[GROUPS<T>];
    __device__ Groups() {
#pragma unroll
        for (int g = 0; g < GROUPS<T>; ++g) {
            one[g] = lane() / LANES<T> == g;
            mask[g] = 0 - one[g];
            asm volatile("" : "+r"(one[g]), "+r"(mask[g]));
        }
    }
};
// REDUX per group. Lanes of other groups are masked by the LOP3 that removes signs; the result of the own group is found by
// multiplications that add, of which only the last one waits for the last REDUX. Of bf16, keys lie in the low half.
template <typename T>
__device__ unsigned by_redux(const unsigned (&words)[WORDS], const Groups<T>& groups) {
    if constexpr (GROUPS<T> > 4) return by_shuffles<T>(words);
    unsigned low = WORDS == 1 ? words[0] : of_lane<T>(words), largest = 0;
    const unsigned high = low >> 16;
#pragma unroll
    for (int g = 0; g < GROUPS<T>; ++g) {
        unsigned key;
        if constexpr (IS_PAIR<T>) key = max(low & 0x7FFFu & groups.mask[g], high & 0x7FFFu & groups.mask[g]);
        else if constexpr (GROUPS<T> == 1) key = low & 0x7FFFFFFFu;
        else key = low & 0x7FFFFFFFu & groups.mask[g];
        const unsigned of_group = __reduce_max_sync(FULL_WARP, key);
        largest = GROUPS<T> == 1 ? of_group : of_group * groups.one[g] + largest;
    }
    return largest;
}

}  // namespace mine

// REDUX per group, with few instructions between one and the next.
template <typename T>
__global__ void LAUNCH_BOUNDS x_redux_products(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    const mine::Groups<T> groups;
    REPEAT(iterations) values.advance(mine::by_redux<T>(values.words, groups));
    values.store(result);
}

// Shuffles with few instructions.
template <typename T>
__global__ void LAUNCH_BOUNDS x_shuffles(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(mine::by_shuffles<T>(values.words));
    values.store(result);
}

// REDUX and SHFL are two units: every other exchange takes each.
template <typename T>
__global__ void LAUNCH_BOUNDS x_alternate(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    const mine::Groups<T> groups;
    REPEAT(iterations) {
        if (iteration % 2) values.advance(mine::by_redux<T>(values.words, groups));
        else values.advance(mine::by_shuffles<T>(values.words));
    }
    values.store(result);
}

// The same, one exchange of four by REDUX.
template <typename T>
__global__ void LAUNCH_BOUNDS x_redux_of_4(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    const mine::Groups<T> groups;
    REPEAT(iterations) {
        if (iteration % 4 == 3) values.advance(mine::by_redux<T>(values.words, groups));
        else values.advance(mine::by_shuffles<T>(values.words));
    }
    values.store(result);
}

// The same, three exchanges of four by REDUX.
template <typename T>
__global__ void LAUNCH_BOUNDS x_shfl_of_4(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    const mine::Groups<T> groups;
    REPEAT(iterations) {
        if (iteration % 4 != 3) values.advance(mine::by_redux<T>(values.words, groups));
        else values.advance(mine::by_shuffles<T>(values.words));
    }
    values.store(result);
}

// Half of the warps by REDUX, half by shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS x_by_warp(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    const mine::Groups<T> groups;
    const bool is_first = threadIdx.x / WARP % 8 < 4;
    REPEAT(iterations) {
        unsigned largest;
        if (is_first) largest = mine::by_redux<T>(values.words, groups);
        else largest = mine::by_shuffles<T>(values.words);
        values.advance(largest);
    }
    values.store(result);
}

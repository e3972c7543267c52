// Challengers of the sort of 32 keys, without values.
#include "loads.cuh"
#include "network.cuh"
#include "shflbench.cuh"

static_assert(!WITH_VALUES);
#define KERNEL(name, sort) \
    template <typename T> __global__ void LAUNCH_BOUNDS \
    my_bitonic_sort_##name(const T* keys, const T* values, T* sorted_keys, T* sorted_values, int iterations) { \
        T key = keys[thread()], value = values[thread()]; \
        const int one = opaque(1), minus_one = minus_one_of_lane(); \
        (void)one; (void)minus_one; \
        REPEAT(iterations) { key = scrambled(key); key = sort; } \
        sorted_keys[thread()] = key; \
        sorted_values[thread()] = value; \
    }

// A number that the compiler does not know.
__device__ inline int opaque(int number) {
    int result;
    asm volatile("{\n\t.reg .u32 one;\n\tmin.u32 one, %1, 1;\n\tmul.lo.s32 %0, one, %2;\n\t}" : "=r"(result) : "r"(gridDim.x), "r"(number));
    return result;
}

// -1 in a register of each thread (a uniform register cannot be an operand from which another one is subtracted).
__device__ inline int minus_one_of_lane() {
    int result;
    asm volatile("{\n\t.reg .u32 one;\n\tadd.u32 one, %1, %2;\n\tmin.u32 one, one, 1;\n\tneg.s32 %0, one;\n\t}" : "=r"(result) : "r"(gridDim.x), "r"(threadIdx.x));
    return result;
}

// ---- published ----
__device__ inline float reverse_if(int bit, float key) { return key * static_cast<float>(1 - 2 * bit); }
__device__ inline int reverse_if(int bit, int key) { return key ^ -bit; }
__device__ inline float reverse(float key) { return -key; }

template <typename T>
__device__ T sort_min_max(T key) {
    key = reverse_if(lane() / 2 & 1, key);
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const T other = __shfl_xor_sync(FULL_WARP, key, distance);
            key = lane() & distance ? max(key, other) : min(key, other);
        }
        key = reverse_if((lane() / size ^ lane() / (2 * size)) & 1, key);
    }
    return key;
}
KERNEL(shfl_min_max, sort_min_max(key))

__device__ inline float sort_min(float key) {
    int reversed = 0;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const int keeps_larger = (lane() / distance ^ lane() / size) & 1;
            key = reverse_if(reversed ^ keeps_larger, key);
            key = min(key, reverse(__shfl_xor_sync(FULL_WARP, key, distance)));
            reversed = keeps_larger;
        }
    }
    return reverse_if(reversed, key);
}
KERNEL(shfl_min, sort_min(key))

__device__ inline int complement_if(int bit, int key) { return key ^ -(bit & 1); }
__device__ inline void keep(int& key, int other, int upper, int one) {
    asm("{\n\t.reg .pred upper, kept;\n\tsetp.ne.s32 upper, %2, 0;\n\tsetp.lt.xor.s32 kept, %0, %1, upper;\n\t"
        "@!kept mad.lo.s32 %0, %1, %3, 0;\n\t}" : "+r"(key) : "r"(other), "r"(upper), "r"(one));
}
// MIXED: of the 15 steps, which take a minimum and a maximum, as bits; the others compare and move by a product.
template <unsigned MIXED>
__device__ int sort_complement(int key, int one) {
    key = complement_if(lane() / 2, key);
    int step = 0;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const int other = __shfl_xor_sync(FULL_WARP, key, distance);
            if (MIXED >> step & 1) key = lane() & distance ? max(key, other) : min(key, other);
            else keep(key, other, lane() & distance, one);
            ++step;
        }
        key = complement_if(lane() / size ^ lane() / (2 * size), key);
    }
    return key;
}
KERNEL(shfl_complement, sort_complement<0u>(key, one))

// ---- challengers: network ----
KERNEL(x_complement_some, sort_complement<0x1249u>(key, one))  // every third step: minimum and maximum
KERNEL(x_complement_half, sort_complement<0x5555u>(key, one))

// As shfl-min, but -1 comes from a register: the complement of the received key and the minimum are one instruction (VIADDMNMX).
// WHERE: of the 16 changes of the own key, which are products (IMAD), as bits; the others are XOR.
template <unsigned PRODUCTS>
__device__ int sort_fused(int key, int minus_one) {
    int reversed = 0, step = 0;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const int keeps_larger = (lane() / distance ^ lane() / size) & 1;
            const int flip = reversed ^ keeps_larger;
            if (PRODUCTS >> step & 1) {
                const int mask = minus_one * flip, factor = 2 * mask + 1;  // -1·key - 1 or 1·key + 0
                asm("mad.lo.s32 %0, %0, %1, %2;" : "+r"(key) : "r"(factor), "r"(mask));
            } else {
                key ^= -flip;
            }
            key = min(minus_one - __shfl_xor_sync(FULL_WARP, key, distance), key);
            reversed = keeps_larger;
            ++step;
        }
    }
    return key ^ -reversed;
}
KERNEL(x_min_fused, sort_fused<0u>(key, minus_one))
KERNEL(x_min_fused_products, sort_fused<0xffffu>(key, minus_one))
KERNEL(x_min_fused_mixed, sort_fused<0x5555u>(key, minus_one))

// As shfl-min-max in the last steps of each merge (distance below CUT: minimum and maximum), as shfl-min in the first ones.
template <int CUT>
__device__ float sort_min_some(float key) {
    int reversed = 0;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const int down = lane() / size & 1;
            if (distance >= CUT) {
                const int keeps_larger = (lane() / distance ^ lane() / size) & 1;
                key = reverse_if(reversed ^ keeps_larger, key);
                key = min(key, -__shfl_xor_sync(FULL_WARP, key, distance));
                reversed = keeps_larger;
            } else {
                key = reverse_if(reversed ^ (size < 32 ? down : 0), key);
                reversed = size < 32 ? down : 0;
                const float other = __shfl_xor_sync(FULL_WARP, key, distance);
                key = lane() & distance ? fmaxf(key, other) : fminf(key, other);
            }
        }
    }
    return reverse_if(reversed, key);
}
KERNEL(x_min_cut2, sort_min_some<2>(key))
KERNEL(x_min_cut4, sort_min_some<4>(key))
template <int CUT>
__device__ int sort_fused_some(int key, int minus_one) {
    int reversed = 0;
#pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const int down = size < 32 ? lane() / size & 1 : 0;
            if (distance >= CUT) {
                const int keeps_larger = (lane() / distance ^ lane() / size) & 1;
                key ^= -(reversed ^ keeps_larger);
                key = min(minus_one - __shfl_xor_sync(FULL_WARP, key, distance), key);
                reversed = keeps_larger;
            } else {
                key ^= -(reversed ^ down);
                reversed = down;
                const int other = __shfl_xor_sync(FULL_WARP, key, distance);
                key = lane() & distance ? max(key, other) : min(key, other);
            }
        }
    }
    return key ^ -reversed;
}
KERNEL(x_min_fused_cut2, sort_fused_some<2>(key, minus_one))

// ---- ranks ----
// How a count goes up by one: 0 an integer addition, 1 a floating-point one, 2 a product.
template <int HOW>
__device__ void count_less(int& count, int other, int limit, int one) {
    if constexpr (HOW == 1)
        asm("{\n\t.reg .pred less;\n\t.reg .f32 c;\n\tsetp.lt.s32 less, %1, %2;\n\tmov.b32 c, %0;\n\t@less add.f32 c, c, 0f3F800000;\n\tmov.b32 %0, c;\n\t}"
            : "+r"(count) : "r"(other), "r"(limit));
    else if constexpr (HOW == 2)
        asm("{\n\t.reg .pred less;\n\tsetp.lt.s32 less, %1, %2;\n\t@less mad.lo.s32 %0, %3, %3, %0;\n\t}" : "+r"(count) : "r"(other), "r"(limit), "r"(one));
    else
        asm("{\n\t.reg .pred less;\n\tsetp.lt.s32 less, %1, %2;\n\t@less add.s32 %0, %0, 1;\n\t}" : "+r"(count) : "r"(other), "r"(limit));
}
constexpr int MAGIC = 0x4b000000;  // 2^23 as a float: its last bits count
// The sum of four counts, and of an index.
template <int HOW>
__device__ int place_of(const int (&c)[4], int first) {
    if constexpr (HOW == 1) {
        const float sum = (__int_as_float(c[0]) + __int_as_float(c[1])) + (__int_as_float(c[2]) + __int_as_float(c[3]));
        return __float_as_int(sum) + (first - MAGIC);
    } else {
        return c[0] + c[1] + c[2] + c[3] + first;
    }
}
__device__ inline int in_order(int bits) { return bits ^ (bits >> 31 & 0x7fffffff); }
__device__ inline int to_ordered(float key) { return in_order(__float_as_int(key)); }
__device__ inline int to_ordered(int key) { return key; }
__device__ inline int as_bits(float key) { return __float_as_int(key); }
__device__ inline int as_bits(int key) { return key; }
__device__ inline void from_bits(int bits, float& key) { key = __int_as_float(bits); }
__device__ inline void from_bits(int bits, int& key) { key = bits; }

// As smem-rank; RAW: the key itself is stored at its place, not the number of the same order.
template <int HOW, bool RAW, typename T>
__device__ T sort_rank(T key, int one) {
    int *unsorted = shared<int>(), *sorted = unsorted + blockDim.x;
    const int first = first_of_warp();
    const int mine = to_ordered(key);
    unsorted[threadIdx.x] = mine;
    __syncwarp();
    int counts[4] = {HOW == 1 ? MAGIC : 0, 0, 0, 0};
    if (mine == 0x7fffffff) counts[0] += lane();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int place = (lane() / 4 + i) % 8;
        const Quad<int> others = load4(unsorted + first + place * 4);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const bool is_lower = i == 0 ? j < lane() % 4 : place < lane() / 4;
            count_less<HOW>(counts[j], others.v[j], int(unsigned(mine) + is_lower), one);
        }
    }
    sorted[place_of<HOW>(counts, first)] = RAW ? as_bits(key) : mine;
    __syncwarp();
    const int got = sorted[threadIdx.x];
    from_bits(RAW || sizeof(T) != 4 ? got : got, key);
    return key;
}
KERNEL(x_rank_fadd, (sort_rank<1, true>(key, one)))
KERNEL(x_rank_imad, (sort_rank<2, true>(key, one)))
KERNEL(x_rank_raw, (sort_rank<0, true>(key, one)))

// Two copies of the keys, the second one less by 1: from the lane's own group of four on, each lane reads 32 numbers that lie
// side by side, and compares all but the first four with its own key. Lower lanes thus come first among equals.
// INT_MIN - 1 does not exist: equal keys of that value are counted by a vote.
template <int HOW, typename T>
__device__ T sort_window(T key, int one) {
    int *unsorted = shared<int>() + 2 * first_of_warp(), *sorted = shared<int>() + 2 * blockDim.x;
    const int mine = to_ordered(key);
    unsorted[lane()] = mine;
    unsorted[lane() + 32] = mine == int(0x80000000u) ? mine : mine - 1;
    __syncwarp();
    int counts[4] = {HOW == 1 ? MAGIC : 0, 0, 0, 0};
    if constexpr (T(1) / T(2) == T(0)) {  // as ordered numbers, floats are not that large or small
        const unsigned smallest = __ballot_sync(FULL_WARP, mine == int(0x80000000u));
        if (mine == int(0x80000000u)) counts[0] += __popc(smallest & ((1u << lane() / 4 * 4) - 1));
        if (mine == 0x7fffffff) counts[0] += lane() % 4;  // the next number is the smallest
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const Quad<int> others = load4(unsorted + lane() / 4 * 4 + 4 * i);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int limit = int(unsigned(mine) + (i == 0 && j < lane() % 4));
            count_less<HOW>(counts[j], others.v[j], limit, one);
        }
    }
    int* const of_warp = sorted + first_of_warp();
    of_warp[place_of<HOW>(counts, 0)] = as_bits(key);
    __syncwarp();
    from_bits(of_warp[lane()], key);
    return key;
}
KERNEL(x_rank_window, (sort_window<0>(key, one)))
KERNEL(x_rank_window_fadd, (sort_window<1>(key, one)))

// Floats as they are, and no predicates: a comparison gives 1.0 or 0.0, which is added. Two copies: the next larger numbers, and
// the keys. Keys of higher lanes are smaller if the next number is at most the own key; those of lower lanes also if equal.
__device__ inline void count_if(float& count, float other, float limit) {
    float one;
    asm("set.le.f32.f32 %0, %1, %2;" : "=f"(one) : "f"(other), "f"(limit));
    count += one;
}
__device__ inline void count_if_less(float& count, float other, float limit) {  // also if the limit is NaN: above infinity
    float one;
    asm("set.ltu.f32.f32 %0, %1, %2;" : "=f"(one) : "f"(other), "f"(limit));
    count += one;
}
__device__ inline float next_larger(float key) {
    const int bits = __float_as_int(key + 0.0f);  // -0 becomes 0
    return __int_as_float(bits + (bits >> 31 | 1));
}
__device__ inline float sort_fset(float key) {
    float *both = shared<float>() + 2 * first_of_warp(), *sorted = shared<float>() + 2 * blockDim.x + first_of_warp();
    both[lane() + 32] = key;
    const float next = next_larger(key);
    both[lane()] = next;
    __syncwarp();
    float counts[4] = {__int_as_float(MAGIC), 0, 0, 0};
    const float* const start = both + lane() / 4 * 4;
    const Quad<float> own = load4(start + 32);
#pragma unroll
    for (int j = 0; j < 4; ++j) count_if_less(counts[j], own.v[j], j < lane() % 4 ? next : key);
#pragma unroll
    for (int i = 1; i < 8; ++i) {
        const Quad<float> others = load4(start + 4 * i);
#pragma unroll
        for (int j = 0; j < 4; ++j) count_if(counts[j], others.v[j], key);
    }
    const float sum = (counts[0] + counts[1]) + (counts[2] + counts[3]);
    sorted[__float_as_int(sum) - MAGIC] = key;
    __syncwarp();
    return sorted[lane()];
}
KERNEL(x_rank_fset, sort_fset(key))

// Published: integers of the same order are stored and converted back.
template <typename T>
__device__ T sort_rank_published(T key) {
    int *unsorted = shared<int>(), *sorted = unsorted + blockDim.x;
    const int first = first_of_warp();
    const int mine = to_ordered(key);
    unsorted[threadIdx.x] = mine;
    __syncwarp();
    int counts[4] = {mine == 0x7fffffff ? lane() : 0};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int place = (lane() / 4 + i) % 8;
        const Quad<int> others = load4(unsorted + first + place * 4);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const bool is_lower = i == 0 ? j < lane() % 4 : place < lane() / 4;
            count_less<0>(counts[j], others.v[j], int(unsigned(mine) + is_lower), 0);
        }
    }
    const int rank = counts[0] + counts[1] + counts[2] + counts[3];
    (sorted + first)[rank] = mine;
    __syncwarp();
    const int got = (sorted + first)[lane()];
    from_bits(T(1) / T(2) == T(0) ? got : in_order(got), key);
    return key;
}
KERNEL(smem_rank, sort_rank_published(key))

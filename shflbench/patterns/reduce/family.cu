// The family of sums: part of a group's values through shared memory, the rest by shuffles. Each member is one choice of the
// template's parameters.
#include "recurrence.cuh"
#include "shflbench.cuh"

// Loads words of 32 bits from shared memory at once. In PTX, because the compiler would merge narrow loads into wide ones.
__device__ inline void load(unsigned (&words)[1], const void* from) {
    asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(words[0]) : "r"(shared_address(from)) : "memory");
}
__device__ inline void load(unsigned (&words)[2], const void* from) {
    asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1]) : "r"(shared_address(from)) : "memory");
}
__device__ inline void load(unsigned (&words)[4], const void* from) {
    asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3]) : "r"(shared_address(from)) : "memory");
}

// The sum of values that lie side by side, as a tree, or one after the other in the order of the loads.
template <int COUNT, bool CHAIN, typename T>
__device__ T sum_of(const T* values) {
    T sum[COUNT];
    memcpy(sum, values, sizeof sum);
    if (CHAIN) {
#pragma unroll
        for (int i = 1; i < COUNT; ++i) sum[0] = add(sum[0], sum[i]);
        return sum[0];
    }
#pragma unroll
    for (int width = 1; width < COUNT; width *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2 * width) sum[i] = add(sum[i], sum[i + width]);
    }
    return sum[0];
}

// Each lane gets the sum of the LANES adjacent lanes that it is one of: it loads BITS at a time from `slots`, which has the
// values of these lanes.
template <int LANES, int BITS, bool CHAIN, typename T>
__device__ T sum_of_loads(const T* slots) {
    static_assert(sizeof(T) == 4, "values have 32 bits");
    constexpr int WORDS = BITS / 32;
    T values[LANES];
#pragma unroll
    for (int i = 0; i < LANES; i += WORDS) {
        unsigned words[WORDS];
        load(words, slots + i);
        memcpy(values + i, words, sizeof words);
    }
    return sum_of<LANES, CHAIN>(values);
}

// Each lane gets the sum over the lanes of its group of WIDTH whose numbers differ by multiples of FROM: by a butterfly, or,
// APART, from shuffles that do not wait for one another.
template <int FROM, bool APART, typename T>
__device__ T sum_of_shuffles(T x) {
    constexpr int COUNT = WIDTH / FROM;
    if (APART) {
        T values[COUNT] = {x};
#pragma unroll
        for (int i = 1; i < COUNT; ++i) values[i] = shfl_xor(x, i * FROM);
        return sum_of<COUNT, false>(values);
    }
#pragma unroll
    for (int distance = FROM; distance < WIDTH; distance *= 2) x = add(x, shfl_xor(x, distance));
    return x;
}

// Two buffers of a warp lie side by side, and serve in turn: one barrier per exchange.
template <typename T, int MOST_LANES, int BITS, bool DOUBLE, bool CHAIN, bool APART, bool LATE>
__global__ void LAUNCH_BOUNDS reduce_member(const T* values, T* result, int iterations) {
    constexpr int LANES = MOST_LANES < WIDTH ? MOST_LANES : WIDTH;
    T* slots = shared<T>() + first_of_warp() * (DOUBLE ? 2 : 1);
    int offset = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        if (LATE) sum = sum_of_shuffles<LANES, APART>(sum);
        if (LANES > 1) {
            T* const buffer = slots + offset;
            buffer[lane()] = sum;
            __syncwarp();  // all lanes have written
            sum = sum_of_loads<LANES, BITS, CHAIN>(buffer + lane() / LANES * LANES);
            if (DOUBLE) offset ^= WARP;
            if (!DOUBLE) __syncwarp();  // all lanes have read: the slots may be written again
        }
        if (!LATE) sum = sum_of_shuffles<LANES, APART>(sum);
        x = advance(x, sum);
    }
    result[thread()] = x;
}

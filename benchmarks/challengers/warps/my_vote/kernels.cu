// Challengers of the vote: whether a predicate is true in any lane.
#include "shflbench.cuh"
#include "vote.cuh"

#define KERNEL(name, ...) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_vote_##name(const T* values, T* result, int iterations) { \
        T x = values[thread()]; \
        unsigned one; \
        asm volatile("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x + threadIdx.x)); \
        (void)one; \
        REPEAT(iterations) { __VA_ARGS__ } \
        result[thread()] = x; \
    }
constexpr unsigned STEP = 0x4a000000u, MORE = 0x9e3779b1u >> 7;

KERNEL(vote, x = advance(x, bool(__any_sync(FULL_WARP, predicate(x))));)

// The sums by the units that multiply: the next number without, and with the vote.
__device__ inline int sum_by_product(int x, unsigned one, unsigned more) {
    int y;
    asm volatile("mad.lo.u32 %0, %1, %2, %3;" : "=r"(y) : "r"(x), "r"(one), "n"(STEP));
    return y;
}
KERNEL(x_products, {
    int with;
    asm volatile("mad.lo.u32 %0, %1, %2, %3;" : "=r"(with) : "r"(x), "r"(one), "n"(STEP + MORE));
    const bool some = __any_sync(FULL_WARP, predicate(x));
    x = some ? with : int(unsigned(x) + STEP);
})
KERNEL(x_guarded_product, {
    const int next = int(unsigned(x) + STEP);
    int y = next;
    asm volatile("{\n\t.reg .pred negative, some;\n\tsetp.lt.s32 negative, %1, 0;\n\tvote.sync.any.pred some, negative, 0xffffffff;\n\t"
                 "@some mad.lo.u32 %0, %2, %3, %0;\n\t}" : "+r"(y) : "r"(x), "r"(one), "n"(MORE));
    x = y;
})
// Both predicates of the next iteration, one for each outcome of the vote, which decides which of them is voted on.
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_two_predicates(const T* values, T* result, int iterations) {
    T x = values[thread()];
    int negative = x < 0;
    REPEAT(iterations) {
        asm volatile(
            "{\n\t.reg .pred mine, some;\n\t.reg .b32 with, without;\n\t"
            "setp.ne.s32 mine, %1, 0;\n\tvote.sync.any.pred some, mine, 0xffffffff;\n\t"
            "add.u32 without, %0, %2;\n\tadd.u32 with, %0, %3;\n\t"
            "@some mov.b32 without, with;\n\tmov.b32 %0, without;\n\tshr.u32 %1, without, 31;\n\t}"
            : "+r"(x), "+r"(negative) : "n"(STEP), "n"(STEP + MORE));
    }
    result[thread()] = x;
}
// Two iterations at once: the second vote is taken for both outcomes of the first one, at the same time as the first one.
__device__ inline int two_votes(int x) {
    const int once = int(unsigned(x) + STEP), more = int(unsigned(once) + MORE);
    const bool first = __any_sync(FULL_WARP, x < 0);
    const bool without = __any_sync(FULL_WARP, once < 0), with = __any_sync(FULL_WARP, more < 0);
    const int twice = int(unsigned(x) + 2 * STEP);
    const int a = without ? int(unsigned(twice) + MORE) : twice;
    const int b = with ? int(unsigned(twice) + 2 * MORE) : int(unsigned(twice) + MORE);
    return first ? b : a;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_vote_x_ahead(const T* values, T* result, int iterations) {
    T x = values[thread()];
    int i = 0;
    for (; i + UNROLL <= iterations; i += UNROLL) {
#pragma unroll
        for (int pair = 0; pair < UNROLL / 2; ++pair) x = two_votes(x);
    }
    for (; i < iterations; ++i) x = advance(x, bool(__any_sync(FULL_WARP, x < 0)));
    result[thread()] = x;
}
// The vote as a mask; its minimum with 1 is added as a product.
KERNEL(x_ballot_product, {
    const unsigned some = min(__ballot_sync(FULL_WARP, predicate(x)), 1u);
    x = int(unsigned(x) + STEP + some * MORE);
})
// The sign of the maximum would be that of no lane: the largest of the unsigned numbers is negative if any is.
KERNEL(x_redux_max, {
    const bool some = int(__reduce_max_sync(FULL_WARP, unsigned(x))) < 0;
    x = advance(x, some);
})

// challenge block-reduce --dtype i32 --option result=all --launch 'sms x 256' --launch '8*sms x 256'
//
// Sums of a block of integers: an addition per warp in shared memory, to words that are never cleared: a sum is what
// they have grown by. Two such words (or four) in turn, one barrier.
#include "recurrence.cuh"
#include "shflbench.cuh"

namespace integers {

__device__ inline void add_shared(int* word, int x) {
    asm volatile("red.relaxed.cta.shared::cta.add.u32 [%0], %1;" :: "r"(shared_address(word)), "r"(x) : "memory");
}

// The same under a condition, without a branch.
__device__ inline void add_shared_if(bool condition, int* word, int x) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p red.relaxed.cta.shared::cta.add.u32 [%0], %1;}"
                 :: "r"(shared_address(word)), "r"(x), "r"(unsigned(condition)) : "memory");
}

__device__ inline int minus(int a, int b) { return int(unsigned(a) - unsigned(b)); }

// The halves of sums over 4 lanes (see reduce-i32.cu).
__device__ inline void bytes(int x, int (&d)[4]) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, "
        "{%9, %9, %9, %9};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(0x00008001u), "r"(0x80010000u), "r"(0x00008000u), "r"(0x80000000u), "r"(x), "r"(0));
}
__device__ inline int sum_of_eight(int x) {
    int d[4];
    bytes(x, d);
    return int(unsigned(d[0]) + unsigned(d[1]) + (unsigned(d[2]) + unsigned(d[3]) << 16));
}
__device__ inline int sum_by_matrix(int x) {
    int d[4];
    bytes(sum_of_eight(x), d);
    return int(unsigned(d[0]) + (unsigned(d[2]) << 16));
}

struct Word {
    int* sum;
    int before;
};
__device__ inline int grown(Word& now, Word& next) {
    const int sum = *now.sum, growth = minus(sum, now.before);
    now.before = sum;
    swap(now, next);
    return growth;
}

// Zero, which the compiler does not know to be the same in all lanes. (Of additions to one word, it would make a vote, an
// election and a product with the number of the lanes, although there is only one.)
__device__ inline int unknown_zero(const int* zeros) { return volatile_load(&zeros[lane()]); }

}  // namespace integers

// REDUX, then one addition per warp: no conflicts, and nothing to add after the barrier.
__global__ void LAUNCH_BOUNDS x_redux_red(const int* values, int* result, int iterations) {
    __shared__ int sums[WARP];
    if (threadIdx.x < WARP) sums[threadIdx.x] = 0;
    __syncthreads();
    const int zero = integers::unknown_zero(sums);
    __syncthreads();
    integers::Word now = {&sums[0], 0}, next = {&sums[1], 0};
    int x = values[thread()];
    REPEAT(iterations) {
        const int of_warp = __reduce_add_sync(FULL_WARP, x);
        integers::add_shared_if(lane() == 0, now.sum + zero, of_warp);
        __syncthreads();
        x = advance(x, integers::grown(now, next));
    }
    result[thread()] = x;
}

// Of four sums of a warp, one by matrix instructions.
__global__ void LAUNCH_BOUNDS x_redux_matrix_red(const int* values, int* result, int iterations) {
    __shared__ int sums[WARP];
    if (threadIdx.x < WARP) sums[threadIdx.x] = 0;
    __syncthreads();
    const int zero = integers::unknown_zero(sums);
    __syncthreads();
    integers::Word now = {&sums[0], 0}, next = {&sums[1], 0};
    int x = values[thread()];
    REPEAT(iterations) {
        const int of_warp = iteration % 4 == 3 ? integers::sum_by_matrix(x) : __reduce_add_sync(FULL_WARP, x);
        integers::add_shared_if(lane() == 0, now.sum + zero, of_warp);
        __syncthreads();
        x = advance(x, integers::grown(now, next));
    }
    result[thread()] = x;
}

// One matrix instruction: four lanes of a warp add the sums of 8 lanes to four words.
__global__ void LAUNCH_BOUNDS x_matrix_four(const int* values, int* result, int iterations) {
    __shared__ __align__(16) int sums[2][4];
    if (threadIdx.x < 8) sums[threadIdx.x / 4][threadIdx.x % 4] = 0;
    __syncthreads();
    int *now = sums[0], *next = sums[1];
    int before = 0, before_next = 0;
    int x = values[thread()];
    REPEAT(iterations) {
        const int of_eight = integers::sum_of_eight(x);
        integers::add_shared_if(lane() < 4, now + lane() % 4, of_eight);
        __syncthreads();
        const int4 four = *reinterpret_cast<const int4*>(now);
        const int sum = add(add(four.x, four.y), add(four.z, four.w)), growth = integers::minus(sum, before);
        before = sum;
        swap(now, next);
        swap(before, before_next);
        x = advance(x, growth);
    }
    result[thread()] = x;
}

// As the published kernel, with two arrays of columns: warps of one parity add to one, so that fewer additions wait for
// one another at the same words.
__global__ void LAUNCH_BOUNDS x_columns_two(const int* values, int* result, int iterations) {
    __shared__ int sums[2][2][WARP];
    if (threadIdx.x < 4 * WARP) (&sums[0][0][0])[threadIdx.x] = 0;
    __syncthreads();
    int(*now)[WARP] = sums[0], (*next)[WARP] = sums[1];
    int before = 0, before_next = 0;
    const int odd = threadIdx.x / WARP % 2;
    int x = values[thread()];
    REPEAT(iterations) {
        integers::add_shared(&now[odd][lane()], x);
        __syncthreads();
        const int sum = add(now[0][lane()], now[1][lane()]), growth = integers::minus(sum, before);
        before = sum;
        swap(now, next);
        swap(before, before_next);
        x = advance(x, __reduce_add_sync(FULL_WARP, growth));
    }
    result[thread()] = x;
}

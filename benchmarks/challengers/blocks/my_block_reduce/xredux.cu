#include "recurrence.cuh"
#include "rake.cuh"
#define NEXT [](T x, T sum) { return advance(x, sum); }

__device__ inline void add_shared(int* slot, int x) {
    asm volatile("red.relaxed.cta.shared::cta.add.u32 [%0], %1;" :: "r"(shared_address(slot)), "r"(x) : "memory");
}

// As atomic-columns-redux, except that a thread remembers the sum of an array, not an element: what the sum has grown by.
struct Columns {
    int *own, before;
};
template <int SETS>
__device__ void sum_columns(const int* values, int* result, int iterations) {
    __shared__ __align__(16) int sums[2][WARP][SETS];
    const int set = threadIdx.x / WARP % SETS;
    if (threadIdx.x < 2 * WARP * SETS) (&sums[0][0][0])[threadIdx.x] = 0;
    __syncthreads();
    Columns now = {sums[0][lane()], 0}, next = {sums[1][lane()], 0};
    int x = values[thread()];
    REPEAT(iterations) {
        add_shared(now.own + set, x);
        __syncthreads();
        int column;
        if constexpr (SETS == 1) {
            column = *now.own;
        } else {
            const int2 two = *reinterpret_cast<const int2*>(now.own);
            column = add(two.x, two.y);
        }
        const int sum = __reduce_add_sync(FULL_WARP, column);
        x = advance(x, int(unsigned(sum) - unsigned(now.before)));
        now.before = sum;
        swap(now, next);
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_columns_late(const T* values, T* result, int iterations) {
    sum_columns<1>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_columns_late_two(const T* values, T* result, int iterations) {
    sum_columns<2>(values, result, iterations);
}

// REDUX first, then one addition per warp to one counter, which is never cleared.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_redux_one(const T* values, T* result, int iterations) {
    __shared__ int sums[2];
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    Columns now = {&sums[0], 0}, next = {&sums[1], 0};
    T x = values[thread()];
    REPEAT(iterations) {
        const int of_warp = __reduce_add_sync(FULL_WARP, x);
        if (lane() == 0) add_shared(now.own, of_warp);
        __syncthreads();
        const int sum = *now.own;
        x = advance(x, int(unsigned(sum) - unsigned(now.before)));
        now.before = sum;
        swap(now, next);
    }
    result[thread()] = x;
}

// Columns of eight lanes: four lanes of a warp add to the same element; all threads add the eight elements.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_eight_columns(const T* values, T* result, int iterations) {
    __shared__ __align__(16) int sums[2][8];
    if (threadIdx.x < 16) (&sums[0][0])[threadIdx.x] = 0;
    __syncthreads();
    Columns now = {sums[0], 0}, next = {sums[1], 0};
    T x = values[thread()];
    REPEAT(iterations) {
        add_shared(now.own + lane() % 8, x);
        __syncthreads();
        const int sum = add(sum_of(four_at(now.own)), sum_of(four_at(now.own + 4)));
        x = advance(x, int(unsigned(sum) - unsigned(now.before)));
        now.before = sum;
        swap(now, next);
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_wide_redux_spread(const T* values, T* result, int iterations) {
    sum_by_one_warp<false, REDUX, 4>(values, result, iterations, NEXT);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_columns_redux_spread(const T* values, T* result, int iterations) {
    sum_by_one_warp<true, REDUX, 4>(values, result, iterations, NEXT);
}

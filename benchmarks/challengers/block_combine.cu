// Challengers of `block-combine`: all threads of a block get the sum of its values.
#include "combine.cuh"
#include "shflbench.cuh"
#include "tf32.cuh"
#include "wide.cuh"

template <int N, typename T>
__device__ T tree(const T* x) {
    if constexpr (N == 1) return x[0];
    else return add(tree<N / 2>(x), tree<N / 2>(x + N / 2));
}
template <typename T>
__device__ T four(const T* x) {  // of shared memory, one load
    const Wide<T> wide = *reinterpret_cast<const Wide<T>*>(x);
    static_assert(Wide<T>::COUNT == 4);
    return wide.sum();
}
// The sum of COUNT values, of which a lane loads each 32nd load of 16 bytes; partial of the calling lane.
template <int COUNT, typename T>
__device__ T part_of_lane(const T* values) {
    constexpr int LOADS = COUNT / (4 * WARP);
    static_assert(LOADS >= 1);
    T sums[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) sums[i] = four(values + 4 * (i * WARP + lane()));
    return tree<LOADS>(sums);
}
template <int FROM, int TO, typename T>
__device__ T butterfly(T x) {
#pragma unroll
    for (int distance = FROM; distance < TO; distance *= 2) x = add(x, shfl_xor(x, distance));
    return x;
}
template <int BARRIER>
__device__ void named_arrive() { asm volatile("bar.arrive %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }
template <int BARRIER>
__device__ void named_wait() { asm volatile("bar.sync %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }

// Groups of eight lanes through shared memory and three shuffles that do not wait for one another; one barrier; then each
// lane loads up to eight sums of warps, 16 bytes at a time, and shuffles add the rest.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_smem8(const T* values, T* result, int iterations) {
    constexpr int PART = WARPS < 8 ? 4 : 8, PARTS = WARPS / PART;
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T sums[2][WARPS];
    T x = values[thread()];
    REPEAT(iterations) {
        T* now = sums[iteration % 2];
        slots[threadIdx.x] = x;
        __syncwarp();
        const T of_warp = sum_by_groups(&slots[first_of_warp()]);
        if (lane() == 0) now[warp()] = of_warp;
        __syncthreads();
        const T* part = now + lane() % PARTS * PART;
        T sum = four(part);
        if constexpr (PART == 8) sum = add(sum, four(part + 4));
        x = advance(x, butterfly<1, PARTS>(sum));
    }
    result[thread()] = x;
}

// The first stage of the others; then a lane loads four of the sums at once, and log2(WARPS / 4) shuffles follow.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_wide_shuffles(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T room[2][WARPS];
    Sums<T> sums(room);
    T x = values[thread()];
    REPEAT(iterations) {
        const T* of_warps = sums.of_warps(x);
        x = advance(x, butterfly<1, WARPS / 4>(four(of_warps + 4 * (lane() % (WARPS / 4)))));
    }
    result[thread()] = x;
}

// The first warp adds up all values, 16 bytes at a time, and passes on four partial sums, which all threads load at once: two
// barriers, three shuffles of one warp, none of the others.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_rake_four(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T parts[4];
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        if (warp() == 0) {
            const T part = butterfly<4, WARP>(part_of_lane<BLOCK>(slots));
            if (lane() < 4) parts[lane()] = part;
        }
        __syncthreads();
        x = advance(x, four(parts));
    }
    result[thread()] = x;
}

// The same, but nobody waits who need not: other warps arrive at the first barrier, and the first warp at the second one.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_rake_arrive(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T parts[4];
    T x = values[thread()];
    if (warp() == 0) {
        REPEAT(iterations) {
            slots[threadIdx.x] = x;
            named_wait<0>();
            const T part = butterfly<4, WARP>(part_of_lane<BLOCK>(slots));
            if (lane() < 4) parts[lane()] = part;
            __syncwarp();
            named_arrive<1>();
            // The four parts are in lanes 0 to 3, and in all others: two more shuffles would do, as does a load.
            x = advance(x, four(parts));
            __syncwarp();
        }
    } else {
        REPEAT(iterations) {
            slots[threadIdx.x] = x;
            named_arrive<0>();
            named_wait<1>();
            x = advance(x, four(parts));
        }
    }
    result[thread()] = x;
}

// No shuffles at all: the first warp adds up all values in two rounds through shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_rake_smem(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T of_lanes[WARP];
    __shared__ __align__(16) T parts[4];
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        if (warp() == 0) {
            of_lanes[lane()] = part_of_lane<BLOCK>(slots);
            __syncwarp();
            const T* eight = of_lanes + lane() % 4 * 8;
            const T part = add(four(eight), four(eight + 4));
            if (lane() < 4) parts[lane()] = part;
        }
        __syncthreads();
        x = advance(x, four(parts));
    }
    result[thread()] = x;
}

// Four warps, on the four schedulers, add up a quarter each: groups of eight lanes and three shuffles as in `x-smem8`.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_quarters(const T* values, T* result, int iterations) {
    constexpr int ROWS = WARPS / 4;
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T of_lanes[4][WARP];
    __shared__ __align__(16) T parts[4];
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        if (warp() < 4) {
            T sums[ROWS];
#pragma unroll
            for (int i = 0; i < ROWS; ++i) sums[i] = slots[(warp() * ROWS + i) * WARP + lane()];
            of_lanes[warp()][lane()] = tree<ROWS>(sums);
            __syncwarp();
            const T sum = sum_by_groups(of_lanes[warp()]);
            if (lane() == 0) parts[warp()] = sum;
        }
        __syncthreads();
        x = advance(x, four(parts));
    }
    result[thread()] = x;
}

// The first warp adds up a column per lane (`raking-columns` of block-reduce, with a tree), and five shuffles follow.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_columns(const T* values, T* result, int iterations) {
    __shared__ T slots[WARPS][WARP];
    __shared__ T all;
    T x = values[thread()];
    REPEAT(iterations) {
        if (warp() > 0) slots[warp()][lane()] = x;
        __syncthreads();
        if (warp() == 0) {
            T sums[WARPS];
            sums[0] = x;
#pragma unroll
            for (int i = 1; i < WARPS; ++i) sums[i] = slots[i][lane()];
            const T sum = butterfly<1, WARP>(tree<WARPS>(sums));
            if (lane() == 0) all = sum;
        }
        __syncthreads();
        x = advance(x, all);
    }
    result[thread()] = x;
}

// Sums of warps by two products with a matrix of ones, of numbers in three exact parts; then as in `wide-adds`, with a tree.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_combine_x_mma(const T* values, T* result, int iterations) {
    constexpr int PART = 8, PARTS = WARPS / PART;
    __shared__ __align__(16) T sums[2][WARPS];
    T x = values[thread()];
    REPEAT(iterations) {
        T* now = sums[iteration % 2];
        const T of_warp = sum_by_matrix<3>(x);
        if (lane() == 0) now[warp()] = of_warp;
        __syncthreads();
        const T* part = now + lane() % PARTS * PART;
        x = advance(x, butterfly<1, PARTS>(add(four(part), four(part + 4))));
    }
    result[thread()] = x;
}

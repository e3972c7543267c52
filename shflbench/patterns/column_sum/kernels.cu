// The threads of a block form a tile of COLUMNS columns: thread t has the value in row t / COLUMNS, column t % COLUMNS.
// Each column is summed, and all of its threads get the sum.
#include "advance.cuh"
#include "shflbench.cuh"

constexpr int COLUMNS = OPTION_COLUMNS;
constexpr int LANES = BLOCK / COLUMNS < WARP ? BLOCK / COLUMNS : WARP;  // rows that one warp can sum by shuffles
constexpr int PADDING = WARP / LANES;  // unused slots after each 32, as many as a warp has columns
constexpr int PADDED = BLOCK + BLOCK / WARP * PADDING;  // slots of the tile

// A tree over the rows of all columns. The last step stores the sums in slots of their own, so that the next iteration
// may write the tile again at once.
template <typename T>
__global__ void LAUNCH_BOUNDS column_sum_smem(const T* values, T* result, int iterations) {
    T* tile = shared<T>();
    T* sums = tile + BLOCK;
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        tile[mine] = sum;
        __syncthreads();
        for (int half = BLOCK / 2; half >= COLUMNS; half /= 2) {
            if (mine < half) {
                sum = add(sum, tile[mine + half]);
                (half == COLUMNS ? sums : tile)[mine] = sum;
            }
            __syncthreads();
        }
        x = advance(x, sums[mine % COLUMNS]);
    }
    result[thread()] = x;
}

// One thread per column adds up all rows, while the other threads wait.
template <typename T>
__global__ void LAUNCH_BOUNDS column_sum_smem_serial(const T* values, T* result, int iterations) {
    T* tile = shared<T>();
    T* sums = tile + BLOCK;
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        tile[mine] = x;
        __syncthreads();
        if (mine < COLUMNS) {
            T sum = x;
#pragma unroll
            for (int other = mine + COLUMNS; other < BLOCK + mine; other += COLUMNS) sum = add(sum, tile[other]);
            sums[mine] = sum;
        }
        __syncthreads();
        x = advance(x, sums[mine % COLUMNS]);
    }
    result[thread()] = x;
}

// Thread t writes here: its row stays together, and the rows of a column lie in different banks.
__device__ inline int slot(int t) { return t + t / WARP * PADDING; }

// The tile is transposed through shared memory, so that the values of a column are in adjacent lanes of one warp, which
// sums them by a butterfly. If there are more than 32 rows, a tree halves them before.
template <typename T>
__global__ void LAUNCH_BOUNDS column_sum_shfl(const T* values, T* result, int iterations) {
    T* tile = shared<T>();
    T* sums = tile + PADDED;
    const int mine = threadIdx.x;
    const int row = mine % LANES, column = mine / LANES;  // after the transposition
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        tile[slot(mine)] = sum;
        __syncthreads();
        for (int half = BLOCK / 2; half >= WARP * COLUMNS; half /= 2) {
            if (mine < half) tile[slot(mine)] = sum = add(sum, tile[slot(mine + half)]);
            __syncthreads();
        }
        if (column < COLUMNS) {  // whole warps
            sum = tile[slot(row * COLUMNS + column)];
#pragma unroll
            for (int distance = LANES / 2; distance > 0; distance /= 2)
                sum = add(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
            if (row == 0) sums[column] = sum;
        }
        __syncthreads();
        x = advance(x, sums[mine % COLUMNS]);
    }
    result[thread()] = x;
}

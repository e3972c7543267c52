// The threads of a block form a tile of COLUMNS columns: thread t has the value in row t / COLUMNS, column t % COLUMNS.
// Each column is summed, and all of its threads get the sum.
#include "advance.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-serial.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

constexpr int COLUMNS = OPTION_COLUMNS;
constexpr int LANES = BLOCK / COLUMNS < WARP ? BLOCK / COLUMNS : WARP;  // rows that one warp can sum by shuffles
constexpr int PADDING = WARP / LANES;  // unused slots after each 32, as many as a warp has columns
constexpr int PADDED = BLOCK + BLOCK / WARP * PADDING;  // slots of the tile

// A tree over the rows of all columns. The last step stores the sums in slots of their own, so that the next iteration
// may write the tile again at once.
template <typename T>
__global__ void LAUNCH_BOUNDS column_sum_smem(const T* values, T* result, int iterations) {
    T *tile = shared<T>(), *sums = tile + BLOCK;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem::column_sum<BLOCK>(x, tile, sums));
    result[thread()] = x;
}

// One thread per column adds up all rows, while the other threads wait.
template <typename T>
__global__ void LAUNCH_BOUNDS column_sum_smem_serial(const T* values, T* result, int iterations) {
    T *tile = shared<T>(), *sums = tile + BLOCK;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_serial::column_sum<BLOCK>(x, tile, sums));
    result[thread()] = x;
}

// The tile is transposed through shared memory, so that the values of a column are in adjacent lanes of one warp, which
// sums them by a butterfly. If there are more than 32 rows, a tree halves them before.
template <typename T>
__global__ void LAUNCH_BOUNDS column_sum_shfl(const T* values, T* result, int iterations) {
    T *tile = shared<T>(), *sums = tile + PADDED;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl::column_sum<BLOCK>(x, tile, sums));
    result[thread()] = x;
}

// broken: WAR the row numbers of the next tile overwrite those that other threads still read
// fixed: clean
// launch: 2x64
// source: https://github.com/ggml-org/llama.cpp/pull/13294 (issue 13287), MIT
// Written anew after the thread: no code of it.
// A block works on several tiles, and keeps the row numbers of the current one in shared memory.
// The fix: a barrier before those of the next tile are loaded.
// Left out: the matrix product and the scattered stores, which are plain ones here.
constexpr int TILES = 3;

__global__ void multiply(const int *rows, int *result) {
    __shared__ int row_numbers[64];
    int t = threadIdx.x;
    for (int tile = 0; tile < TILES; tile++) {
        int first = (blockIdx.x * TILES + tile) * 64;
#ifdef FIXED
        __syncthreads();
#endif
        row_numbers[t] = rows[first + t];  // later
        __syncthreads();
        result[first + t] = 3 * row_numbers[63 - t];  // earlier
    }
}

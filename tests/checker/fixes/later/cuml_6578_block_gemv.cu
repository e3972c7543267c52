// broken: WAR the products of the next row overwrite those that thread 0 still adds up
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/cuml/pull/6578
// Written anew after the thread: no code of it.
// A block multiplies each of its rows by a vector: all threads store products in shared memory, and thread 0 adds them up.
// The fix: a barrier at the end of each row.
// Left out: batches, the size of rows, which is that of the block.
constexpr int ROWS = 3;

__global__ void block_gemv(const float *matrix, const float *vector, float *result) {
    __shared__ float products[64];
    int t = threadIdx.x;
    for (int row = 0; row < ROWS; row++) {
        products[t] = matrix[(blockIdx.x * ROWS + row) * 64 + t] * vector[t];  // later
        __syncthreads();
        if (t == 0) {
            float sum = 0;
            for (int i = 0; i < 64; i++) sum += products[i];  // earlier
            result[blockIdx.x * ROWS + row] = sum;
        }
#ifdef FIXED
        __syncthreads();
#endif
    }
}

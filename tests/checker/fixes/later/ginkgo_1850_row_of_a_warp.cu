// broken: RAW all lanes read an entry of the row that another lane has updated in the iteration before
// fixed: clean
// launch: 2x32
// source: https://github.com/ginkgo-project/ginkgo/pull/1850
// Written anew after the thread: no code of it.
// A warp eliminates the entries of its row from left to right: all lanes read an entry, one stores its scaled value, and all subtract
// a multiple of another row from what follows.
// The fix: the warp synchronizes before that read, and once more before the scaled value is stored.
// Left out: sparse rows, the wait for the rows that a row depends on.
constexpr int WIDTH = 48;
constexpr int LOWER = 3;

__global__ void factorize(const float *upper, float *rows) {
    int lane = threadIdx.x;
    float *row = rows + blockIdx.x * WIDTH;
    for (int k = 0; k < LOWER; k++) {
#ifdef FIXED
        __syncwarp();
#endif
        float scale = row[k] / (2 + upper[k * WIDTH + k]);  // later
#ifdef FIXED
        __syncwarp();
#endif
        if (lane == 0) row[k] = scale;
        for (int column = k + 1 + lane; column < WIDTH; column += 32)
            row[column] -= scale * upper[k * WIDTH + column];  // earlier
    }
}

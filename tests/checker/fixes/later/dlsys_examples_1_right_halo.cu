// broken: uninitialized read of the right halo in the last block, which is not filled
// fixed: clean
// launch: 2x64
// source: https://github.com/dlsys-course/examples/issues/1
// Written anew after the thread: no code of it.
// A block keeps its elements and a halo of three on both sides in shared memory. In the last block, which has 36 elements, the right
// halo is stored as far away as if it had 64.
// The fix: the right halo follows the last element of the block (the issue is closed; the change itself was not read).
// Left out: the barrier inside of a condition.
constexpr int N = 100;
constexpr int THREADS = 64;
constexpr int RADIUS = 3;

__global__ void window_sum(const float *in, float *out) {
    __shared__ float tile[THREADS + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
#ifdef FIXED
    int elements = min(THREADS, N - (int)blockIdx.x * THREADS);
#else
    int elements = THREADS;
#endif
    if (i < N) {
        tile[t + RADIUS] = in[i + RADIUS];
        if (t < RADIUS) {
            tile[t] = in[i];
            tile[t + RADIUS + elements] = in[i + RADIUS + elements];
        }
    }
    __syncthreads();
    if (i < N) {
        float sum = 0;
        for (int k = 0; k <= 2 * RADIUS; k++) sum += tile[t + k];  // later
        out[i] = sum;
    }
}

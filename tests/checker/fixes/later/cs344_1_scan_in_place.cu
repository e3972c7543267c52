// broken: WAR a step of a scan in place overwrites values that other threads still read
// fixed: clean
// launch: 2x64
// source: https://github.com/wykvictor/cs344-cuda-udacity/issues/1
// Written anew after the thread: no code of it.
// Each thread adds a value farther down to its own, and all wait for each other after that. Results differed between runs.
// The fix: steps read one buffer and write the other one.
// Left out: the exclusive scan, the histogram.
constexpr int COUNT = 64;

__global__ void scan(const int *in, int *out) {
    int t = threadIdx.x, i = blockIdx.x * COUNT + t;
#ifdef FIXED
    __shared__ int data[2][COUNT];
    int source = 0;
    data[0][t] = in[i];
    __syncthreads();
    for (int step = 1; step < COUNT; step *= 2) {
        data[1 - source][t] = data[source][t] + (t >= step ? data[source][t - step] : 0);
        source = 1 - source;
        __syncthreads();
    }
    out[i] = data[source][t];
#else
    __shared__ int data[COUNT];
    data[t] = in[i];
    __syncthreads();
    for (int step = 1; step < COUNT; step *= 2) {
        int below = t >= step ? data[t - step] : 0;  // earlier
        data[t] += below;  // later
        __syncthreads();
    }
    out[i] = data[t];
#endif
}

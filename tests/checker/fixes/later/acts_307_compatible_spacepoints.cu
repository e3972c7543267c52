// broken: a barrier stands in a condition on the number of the thread, which splits a warp
// fixed: clean
// launch: 2x64
// source: https://github.com/acts-project/acts/pull/307
// Written anew after the thread: no code of it.
// Threads with a space point store it in shared memory, and wait for each other inside that condition.
// The fix: the barrier stands behind the condition.
// Left out: the search for seeds; 48 of 64 threads have a space point.
constexpr int POINTS = 48;

__global__ void transform(const float *points, float *result) {
    __shared__ float radii[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    radii[t] = 0;
    __syncthreads();
#ifdef FIXED
    if (t < POINTS) radii[t] = points[i] * points[i];
    __syncthreads();
#else
    if (t < POINTS) {
        radii[t] = points[i] * points[i];
        __syncthreads();  // later
    }
#endif
    float sum = radii[63 - t];
    __syncthreads();
    radii[t] = sum + 1;
    __syncthreads();
    result[i] = radii[63 - t];
}

// broken: out of bounds, the first thread reads before the array, and the last one behind it
// fixed: clean
// launch: 1x64
// source: https://github.com/myurtoglu/cudaforengineers/issues/5
// Written anew after the thread: no code of it.
// The second derivative of a function takes both neighbors of a point, which the first and the last point do not have.
// The fix: these two points are left out.
// Left out: the size of the grid as an argument, the step between points.
constexpr int SIZE = 64;

__device__ float values[SIZE];

__global__ void second_derivative(const float *in, float *out) {
    int i = threadIdx.x;
    values[i] = in[i];
    __syncthreads();
#ifdef FIXED
    if (i == 0 || i == SIZE - 1) return;
#endif
    out[i] = values[i - 1] + values[i + 1] - 2 * values[i];  // later
}

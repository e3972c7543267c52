// broken: RAW threads of several blocks add to the gradient of one pixel without atomics
// fixed: clean
// launch: 2x64
// source: https://github.com/apache/mxnet/pull/11806 (issue 11568)
// Written anew after the thread: no code of it.
// Each pixel of the output adds to the gradients of both pixels that it was interpolated from, which other pixels do, too.
// The fix: atomicAdd().
// Left out: floats, for which integers stand here; the second dimension, the transformation.
__device__ void add_to(int *gradient, int value) {
#ifdef FIXED
    atomicAdd(gradient, value);
#else
    *gradient += value;  // later
#endif
}

__global__ void backward(const int *output_gradient, int *input_gradient) {
    int i = blockIdx.x * 64 + threadIdx.x, first = i / 2;
    int value = output_gradient[i];
    add_to(&input_gradient[first], 3 * value);
    add_to(&input_gradient[first + 1], value);
}

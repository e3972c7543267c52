// broken: RAW threads add to one variable in shared memory without atomics
// fixed: clean
// launch: 1x64
// source: https://github.com/numba/numba/issues/4907
// Written anew after the thread: no code of it.
// All threads of a block add to a sum in shared memory, of which one addition remains.
// The fix: atomicAdd().
// Left out: Python.
__global__ void add(const int *in, int *out) {
    __shared__ int sum;
    int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
#ifdef FIXED
    atomicAdd(&sum, in[t]);
#else
    sum += in[t];  // later
#endif
    __syncthreads();
    if (t == 0) out[0] = sum;
}

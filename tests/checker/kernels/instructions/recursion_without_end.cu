// broken: STACK
// launch: 1x4

__device__ __noinline__ int climb(const int *values, int at) {
    int next = values[at & 31] >= 0 ? at + 1 : at;
    return next == at ? at : climb(values, next) + values[next & 31];
}

__global__ void k(const int *in, int *out) { out[threadIdx.x] = climb(in, threadIdx.x); }

// sound
// launch: 1x64

__device__ __noinline__ int sum(const int *values, int first, int last) {
    if (last - first == 1) return values[first];
    int middle = (first + last) / 2;
    return sum(values, first, middle) + sum(values, middle, last);
}

__global__ void k(const int *in, int *out) {
    __shared__ int values[64];
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = sum(values, threadIdx.x & 60, threadIdx.x + 1);
}

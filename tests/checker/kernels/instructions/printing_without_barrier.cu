// broken: RAW
// launch: 1x64

__global__ void k(const int *in, int *out) {
    __shared__ int values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x % 32 == 0) printf("thread %d: %d\n", threadIdx.x, values[threadIdx.x ^ 63]);
    out[threadIdx.x] = in[threadIdx.x];
}

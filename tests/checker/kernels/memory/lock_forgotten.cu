// broken: RAW
// launch: 2x64

__device__ int total;

__global__ void k(const int *in, int *out) {
    if (threadIdx.x % 32 == 0) total += in[blockIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

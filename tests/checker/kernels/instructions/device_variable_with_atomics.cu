// sound
// launch: 3x64

__device__ int counts[3];
__constant__ int factors[4] = {1, 10, 100, 1000};

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[blockIdx.x], in[i] & 1);
    out[i] = in[i] * factors[i % 4];
}

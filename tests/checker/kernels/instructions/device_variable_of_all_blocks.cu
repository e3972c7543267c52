// broken: WAW
// launch: 3x64

__device__ int counts[3];
__constant__ int factors[4] = {1, 10, 100, 1000};

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    counts[threadIdx.x % 3] = i;
    out[i] = in[i] * factors[i % 4];
}

// broken: RAW
// launch: 4x32

__device__ volatile int flags[8];
__device__ int sums[8];

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t == 0) {
        int before = 0;
        if (blockIdx.x) {
            while (flags[blockIdx.x - 1] == 0) {
            }
            before = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = before + in[g];
        flags[blockIdx.x] = 1;
        out[blockIdx.x] = before;
    }
}

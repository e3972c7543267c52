// sound
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    __shared__ int most;
    atomicExch(&most, 0);
    __syncthreads();
    atomicMax(&most, in[t]);
    __syncthreads();
    out[t] = most;
}

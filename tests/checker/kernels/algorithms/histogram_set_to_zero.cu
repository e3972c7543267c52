// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int bins[64];
    int t = threadIdx.x;
    if (t < 64) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + t] & 63], 1);
    __syncthreads();
    if (t < 64) atomicAdd(&out[t], bins[t]);
}

// launch: 1x128, args: n=512
__global__ void kernel(const unsigned* in, unsigned* out, int n) {
    __shared__ unsigned bins[128];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();  // barrier: needed
    for (int i = t; i < n; i += 128) atomicAdd(&bins[in[i] & 127], 1u);
    __syncthreads();  // barrier: needed
    out[t] = bins[t];
}

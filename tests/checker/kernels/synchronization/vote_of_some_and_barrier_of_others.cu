// broken: BARRIER_IMPOSSIBLE
// launch: 2x64

// `bar.red` and `bar.sync` meet at one barrier.
__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0;
    if (threadIdx.x < 32)
        count = __syncthreads_count(in[g] > 300);
    else
        __syncthreads();
    out[g] = count;
}

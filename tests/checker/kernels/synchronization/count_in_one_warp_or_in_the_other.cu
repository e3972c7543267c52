// broken: BARRIER_IMPOSSIBLE
// launch: 2x64

// The warps of one block meet at one barrier in different forms.
__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    bool flag = in[g] > 300;
    if (threadIdx.x < 32)
        out[g] = __syncthreads_count(flag);
    else
        out[g] = __syncthreads_or(flag);
}

// broken: DIVERGENT_WARP_BARRIER
// launch: 2x64

__device__ __noinline__ int read_other(const int *s, int place) {
    __syncthreads();
    return s[place];
}

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    if (t % 2) {
        out[g] = read_other(s, t - 1) + 1;
    } else {
        out[g] = 3 * read_other(s, 63 - t);
    }
}

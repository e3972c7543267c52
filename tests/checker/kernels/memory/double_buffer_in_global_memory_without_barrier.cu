// broken: RAW
// launch: 2x64

__global__ void k(const int *in, int *out, int *one, int *two) {
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    int *from = one + first, *to = two + first;
    from[t] = in[first + t];
    __syncthreads();
    for (int step = 0; step < 4; step++) {
        to[t] = from[t] + from[(t + 1) % blockDim.x];
        __syncwarp();
        int *other = from;
        from = to, to = other;
    }
    out[first + t] = from[t];
}

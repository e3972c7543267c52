// launch: 1x128, args: n=3
__global__ void kernel(const int* in, int* out, int n) {
    int t = threadIdx.x;
    out[t] = __syncthreads_or(in[t] == n) + __syncthreads_and(in[t] > 0);  // barrier: open
}

// launch: 1x128, shared=1024 args: n=64
__global__ void kernel(const int* in, int* out, int n) {
    extern __shared__ int memory[];
    int *a = memory, *b = memory + n;
    int t = threadIdx.x;
    if (t < 64) a[t] = in[t];
    __syncthreads();  // barrier: needed
    if (t >= 64) b[t - 64] = in[t];
    __syncthreads();  // barrier: needed
    out[t] = t < 64 ? a[t] : b[t - 64];
}

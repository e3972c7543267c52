// launch: 1x128, args: n=3
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ union { int words[128]; short halves[256]; } u;
    int t = threadIdx.x;
    u.words[t] = in[t];
    __syncthreads();  // barrier: needed
    int a = u.words[127 - t];
    __syncthreads();  // barrier: needed
    u.halves[t] = a;
    u.halves[t + 128] = n;
    __syncthreads();  // barrier: warp
    out[t] = u.halves[t ^ 1];
}

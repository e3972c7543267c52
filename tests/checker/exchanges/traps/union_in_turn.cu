// launch: 1x128
__global__ void kernel(const int* in, int* out) {
    __shared__ union { int words[128]; short halves[256]; } u;
    int t = threadIdx.x;
    u.words[t] = in[t];
    __syncthreads();  // barrier: warp
    int a = u.words[t ^ 1];
    __syncthreads();  // barrier: warp
    u.halves[2 * t] = a;
    u.halves[2 * t + 1] = a >> 16;
    __syncthreads();  // barrier: nothing
    out[t] = u.halves[2 * t] + u.halves[2 * t + 1];
}

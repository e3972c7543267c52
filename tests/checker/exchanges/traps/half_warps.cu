// launch: 2x128, args: n=5
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 16, i = blockIdx.x * 128 + t;
    s[t] = in[i];
    __syncthreads();  // barrier: warp
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += s[16 * half + (t + k) % 16];
    __syncthreads();  // barrier: warp
    s[t] = sum + n;
    __syncthreads();  // barrier: warp
    out[i] = s[t ^ 16];
}

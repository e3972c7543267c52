// launch: 2x256, args: n=500
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();  // barrier: needed
    if (t < 128) s[t] += s[t + 128];
    __syncthreads();  // barrier: needed
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();  // barrier: needed
    if (t < 32) s[t] += s[t + 32];
    __syncthreads();  // barrier: warp
    if (t < 16) s[t] += s[t + 16];
    __syncthreads();  // barrier: warp
    if (t < 8) s[t] += s[t + 8];
    __syncthreads();  // barrier: warp
    if (t < 4) out[blockIdx.x * 4 + t] = s[t] + s[t + 4];
}

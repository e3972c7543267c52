// launch: 2x72, args: n=100 out=i32[144]
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[96];
    int t = threadIdx.x, i = blockIdx.x * 72 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();  // barrier: warp
    int a = t < 64 ? s[t ^ 31] : 0;
    __syncthreads();  // barrier: needed
    s[71 - t] = a;
    __syncthreads();  // barrier: needed
    out[i] = s[t];
}

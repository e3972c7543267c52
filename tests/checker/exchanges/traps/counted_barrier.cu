// launch: 1x128, args: n=3
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    int many = __syncthreads_count(in[t] > n);  // barrier: open
    out[t] = s[t] + many;
}

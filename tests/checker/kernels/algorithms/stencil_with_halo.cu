// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int s[130];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = gridDim.x * blockDim.x;
    s[t + 1] = in[i];
    if (t == 0) s[0] = i > 0 ? in[i - 1] : 0;
    if (t == blockDim.x - 1) s[t + 2] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    out[first + t] = in[first + t];
    __syncthreads();
    int x = out[first + blockDim.x - 1 - t];
    __syncthreads();
    out[first + t] = x;
}

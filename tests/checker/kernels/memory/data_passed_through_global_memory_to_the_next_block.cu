// broken: RAW
// launch: 2x128

__global__ void k(const int *in, int *out, int *one) {
    int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    one[first + t] = in[first + t];
    __syncthreads();
    out[first + t] = one[(first + blockDim.x + t) % (gridDim.x * blockDim.x)];
}

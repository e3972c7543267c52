// broken: WAW
// launch: 2x64

__global__ void k(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i & ~7] = -i;
}

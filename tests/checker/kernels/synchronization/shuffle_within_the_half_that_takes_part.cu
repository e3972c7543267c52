// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    int lane = threadIdx.x % 32, g = blockIdx.x * blockDim.x + threadIdx.x, v = in[g];
    if (lane < 16) v = __shfl_sync(0x0000ffff, v, 15);
    out[g] = v;
}

// broken: INACTIVE_SOURCE
// launch: 2x64

// Lane 31 has ended, or never comes, when the others read its value.
__global__ void k(const int *in, int *out) {
    int lane = threadIdx.x % 32, g = blockIdx.x * blockDim.x + threadIdx.x, v = in[g];
    if (lane < 16) v = __shfl_sync(0xffffffff, v, 31);
    out[g] = v;
}

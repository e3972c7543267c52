// broken: UNORDERED
// launch: 2x64

__global__ void k(const int *in, volatile int *out) {
    if (threadIdx.x == 0) out[0] = blockIdx.x + in[0];
}

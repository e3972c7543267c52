// sound
// launch: 1x96

__global__ void k(const int *in, int *out) {
    if (in[threadIdx.x] < 0) __trap();
    out[threadIdx.x] = in[threadIdx.x];
}

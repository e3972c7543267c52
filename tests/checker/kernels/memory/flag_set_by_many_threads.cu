// doubtful: SAME_VALUE
// launch: 2x64

__global__ void k(const int *in, int *out) {
    if (in[threadIdx.x] != in[0]) out[0] = 1;
    out[1 + blockIdx.x] = 2;
}

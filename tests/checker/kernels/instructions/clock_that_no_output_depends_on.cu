// sound
// launch: 2x32

__global__ void k(const int *in, int *out) {
    long long start = clock64();
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    for (int step = 0; step < 8; step++) value = value * 3 + step;
    out[i] = clock64() < start ? -1 : value;
}

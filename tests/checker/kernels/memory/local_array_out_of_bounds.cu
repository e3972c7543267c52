// broken: OUT_OF_BOUNDS
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int own[8];
    int t = threadIdx.x;
    for (int i = 0; i < 8; i++) own[(i * 3 + in[0]) & 7] = i;
    own[((in[t] & 7) + 8)] = t;
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += own[i];
    out[t] = sum;
}

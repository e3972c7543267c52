// broken: OUT_OF_BOUNDS
// launch: 2x32

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 2 + i % 3;
    int *values = static_cast<int *>(malloc(count * sizeof(short)));
    for (int j = 0; j < count; j++) values[j] = in[i] + j;
    out[i] = values[count - 1];
    free(values);
}

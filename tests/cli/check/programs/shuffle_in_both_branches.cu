// clean
__global__ void exchange(const int *in, int *out) {
    int v = in[threadIdx.x], r;
    if (threadIdx.x & 8)
        r = __shfl_xor_sync(~0u, v + 3, 8) * 2;
    else
        r = __shfl_xor_sync(~0u, v * 5, 8) - 1;
    out[threadIdx.x] = r;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    exchange<<<1, 64>>>(in, out);
}

// broken: deadlock
__global__ void mixed(const int *in, int *out) {
    int v = in[threadIdx.x], r;
    if (threadIdx.x & 8)
        r = __shfl_xor_sync(~0u, v, 8);
    else
        r = __any_sync(~0u, v > 0);
    out[threadIdx.x] = r;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    mixed<<<1, 64>>>(in, out);
}

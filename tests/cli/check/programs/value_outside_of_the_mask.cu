// broken: uses the value of thread 16 of block 0, which the mask does not name
__global__ void turn(const int *in, int *out) {
    int v = in[threadIdx.x];
    if (threadIdx.x < 16) v = __shfl_down_sync(0xffff, v, 1) + __shfl_sync(0xffff, v, 16);
    out[threadIdx.x] = v;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    turn<<<1, 32>>>(in, out);
}

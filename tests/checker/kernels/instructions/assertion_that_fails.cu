// broken: ASSERT_FAILED
// launch: 2x64

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i != 70 && "thread 70 must not come here");
    out[i] = in[i] + 1;
}

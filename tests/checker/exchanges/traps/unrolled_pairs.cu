// launch: 1x128
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[4][128];
    int t = threadIdx.x, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        s[k][t] = in[128 * k + t];
        __syncthreads();  // barrier: needed
        sum += s[k][127 - t];
        __syncthreads();  // barrier: nothing
    }
    out[t] = sum;
}

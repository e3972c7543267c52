// sound
// launch: 2x64

// Each block combines in its own way, and one of them has a barrier more.
__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (blockIdx.x == 0) __syncthreads();
    for (int i = 0; i < 3; i++) {
        bool flag = in[g] > 300 * i;
        sum += blockIdx.x == 0 ? __syncthreads_count(flag) : __syncthreads_or(flag);
        __syncthreads();
    }
    out[g] = sum;
}

// sound
// launch: 2:32x4

__global__ void k(const int *in, int *out) {
    __shared__ int sums[4];
    int i = 128 * blockIdx.x + 32 * threadIdx.y + threadIdx.x;
    out[i] = in[i];
    if (threadIdx.x == 0) sums[threadIdx.y] = in[i];
    __syncthreads();
    if (threadIdx.x == 1) out[i] = sums[3 - threadIdx.y];
}

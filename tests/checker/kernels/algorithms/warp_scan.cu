// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int sum = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += other;
    }
    out[i] = sum;
}

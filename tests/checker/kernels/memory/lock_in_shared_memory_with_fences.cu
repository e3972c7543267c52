// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int lock, total;
    int t = threadIdx.x;
    if (t == 0) lock = total = 0;
    __syncthreads();
    if (t % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence_block();
        total += in[t];
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = total;
}

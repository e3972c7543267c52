// sound
// launch: 1x64

__device__ unsigned long long arrive(unsigned barrier) {
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(barrier) : "memory");
    return token;
}

__device__ void wait(unsigned barrier, unsigned long long token) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier), "l"(token) : "memory");
}

__global__ void k(const int *in, int *out) {
    __shared__ int values[64];
    __shared__ unsigned long long storage;
    unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&storage));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(barrier) : "memory");
    __syncthreads();
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int step = 0; step < 2; step++) {
        values[threadIdx.x] = in[i] + step;
        wait(barrier, arrive(barrier));
        out[i] = values[63 - threadIdx.x];
        wait(barrier, arrive(barrier));
    }
}

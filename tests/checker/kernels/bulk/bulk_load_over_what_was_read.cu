// doubtful: PROXY_ORDER
// launch: 2x64
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void expect(void *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory");
}
__device__ void wait(void *bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(place(bar)), "r"(parity) : "memory");
}
__device__ void load(void *to, const void *from, unsigned bytes, void *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(place(to)), "l"(from), "r"(bytes), "r"(place(bar)) : "memory");
}
__device__ void start(void *bar, unsigned count) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(bar)), "r"(count) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
}

// CUTLASS has no fence between the reads and the next copy, which the PTX ISA asks for, but uses what it reads.
__global__ void k(const int *in, int *out) {
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long bar;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    const int *from = in + blockIdx.x * 64;
    int *to = out + blockIdx.x * 64;
    start(&bar, 1);
    if (t == 0) {
        expect(&bar, 256);
        load(s, from, 256, &bar);
    }
    wait(&bar, 0);
    to[t] = s[t];
    __syncthreads();
    if (t == 0) {
        expect(&bar, 256);
        load(s, from, 256, &bar);
    }
    wait(&bar, 1);
    to[t] += s[t];
}

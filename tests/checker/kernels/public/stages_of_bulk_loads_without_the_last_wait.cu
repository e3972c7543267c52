// broken: RAW
// launch: 2x32
// After lookup1980/microbench-blackwell, tma_tput.cu.
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void load(void *to, const void *from, unsigned bytes, void *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(place(to)), "l"(from), "r"(bytes), "r"(place(bar)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory");
}
__device__ void wait(void *bar, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again;\n}"
                 ::"r"(place(bar)), "r"(parity) : "memory");
}

// Nothing waits for the copy into the last stage.
__global__ void k(const int *in, int *out) {
    __shared__ __align__(16) int stage[2][32];
    __shared__ unsigned long long bars[2];
    int t = threadIdx.x, sum = 0;
    if (t < 2) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&bars[t])) : "memory");
    }
    __syncthreads();
    for (int i = 0; i < 6; i++) {
        int slot = i % 2;
        if (t == 0) {
            load(stage[slot], in + i * 32, 128, &bars[slot]);
        }
        if (i > 0) {
            int last = (i - 1) % 2;
            wait(&bars[last], (i - 1) / 2 % 2);
            sum += stage[last][t];
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
        }
    }
    out[blockIdx.x * 32 + t] = sum + stage[1][t];
}

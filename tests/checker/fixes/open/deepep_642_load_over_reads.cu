// broken: WAR no proxy fence stands between generic reads of shared memory and the next bulk load into it
// fixed: clean
// launch: 2x64
// source: https://github.com/deepseek-ai/DeepEP/pull/642 (issue 621)
// Written anew after the thread: no code of it.
// One warp loads tokens into one stage by bulk copies, and the other one reads them and arrives at the barrier of the empty stage.
// Broken before the fix, although the earlier access is a read, because nothing has used its value: the model's page, "When a load is complete".
// The fix: fence.proxy.async between the wait for the empty stage and the next load.
// Left out: the exchange between devices, sums of tokens, more stages.
constexpr int TOKENS = 3;

__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void start(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(barrier)), "r"(count) : "memory");
}

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

__device__ void load(int *to, const int *from, unsigned long long *full) {
    unsigned target = place_of(to), barrier = place_of(full);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                 ::"r"(target), "l"(from), "r"(barrier) : "memory");  // later
}

__global__ void combine(const int *in, int *out) {
    __shared__ __align__(128) int stage[32];
    __shared__ unsigned long long full, empty;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = blockIdx.x * TOKENS * 32;
    if (threadIdx.x == 0) {
        start(&full, 1);
        start(&empty, 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (warp == 0 && lane == 0) {
        for (int token = 0; token < TOKENS; token++) {
            if (token > 0) {
                wait_parity(&empty, (token - 1) % 2);
#ifdef FIXED
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
            }
            load(stage, in + first + token * 32, &full);
        }
    } else if (warp == 1) {
        for (int token = 0; token < TOKENS; token++) {
            wait_parity(&full, token % 2);
            int value = stage[31 - lane];  // earlier
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(&empty)) : "memory");
            out[first + token * 32 + lane] = 2 * value;
        }
    }
}

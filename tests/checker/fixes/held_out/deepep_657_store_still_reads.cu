// broken: WAR the wait allows one bulk store to be pending, which is the one that still reads the stage that is loaded next
// fixed: clean
// launch: 2x32
// source: https://github.com/deepseek-ai/DeepEP/issues/657 (fix: pull request 660, in 674)
// Written anew after the thread: no code of it.
// One thread copies by two stages: a bulk load, then a bulk store from the same stage, then the load of the tile after the next one.
// The fix: wait for all stores.
// Left out: the exchange between devices; sizes are fixed.
constexpr int TILES = 5;
constexpr int STAGES = 2;
constexpr int WORDS = 64;
#ifdef FIXED
constexpr int PENDING = 0;
#else
constexpr int PENDING = STAGES - 1;
#endif

__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

__device__ void load(int *to, const int *from, unsigned long long *full) {
    unsigned target = place_of(to), barrier = place_of(full);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                 ::"r"(target), "l"(from), "r"(barrier) : "memory");  // later
}

__device__ void store(int *to, const int *from) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(place_of(from)) : "memory");  // earlier
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void copy(const int *in, int *out) {
    __shared__ __align__(128) int stages[STAGES][WORDS];
    __shared__ unsigned long long full[STAGES];
    if (threadIdx.x != 0) return;
    in += blockIdx.x * TILES * WORDS;
    out += blockIdx.x * TILES * WORDS;
    for (int stage = 0; stage < STAGES; stage++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&full[stage])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (int tile = 0; tile < STAGES; tile++) load(stages[tile], in + tile * WORDS, &full[tile]);
    for (int tile = 0; tile < TILES; tile++) {
        int stage = tile % STAGES;
        wait_parity(&full[stage], tile / STAGES % 2);
        store(out + tile * WORDS, stages[stage]);
        if (tile + STAGES < TILES) {
            asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
            load(stages[stage], in + (tile + STAGES) * WORDS, &full[stage]);
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Time fences with clock64, for fences.py: each block writes the clocks of its first thread for LOOP_FENCES passes.
// A pass loads, stores, and then executes the fence that KIND says. The clock is read outside of the loop: machine code
// may read it before a fence has ended.

#define LOOP_FENCES 64

enum Kind { NOTHING, LOADS_L2, RELEASE_GPU, ACQUIRE_GPU, ACQ_REL_GPU, SC_GPU, ACQ_REL_CLUSTER, ACQ_REL_SYSTEM, RELEASE_BLOCK };

template <int KIND>
__device__ inline void fence() {
    if (KIND == RELEASE_GPU) asm volatile("fence.release.gpu;" ::: "memory");
    if (KIND == ACQUIRE_GPU) asm volatile("fence.acquire.gpu;" ::: "memory");
    if (KIND == ACQ_REL_GPU) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (KIND == SC_GPU) asm volatile("fence.sc.gpu;" ::: "memory");
    if (KIND == ACQ_REL_CLUSTER) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    if (KIND == ACQ_REL_SYSTEM) asm volatile("fence.acq_rel.sys;" ::: "memory");
    if (KIND == RELEASE_BLOCK) asm volatile("fence.release.cta;" ::: "memory");
}

// Blocks on other SMs than `only` end at once, unless it is negative. In a pass each warp loads `lines` lines of 128
// bytes, which no other block loads, through the L1 or past it (LOADS_L2), and stores to STORES lines that no other
// warp writes; with `only`, to the first of them.
template <int KIND, int STORES>
__global__ void fences(long long* clocks, unsigned* sms, unsigned* words, int only, int lines) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (only >= 0 && sm != only) return;
    const unsigned warps = gridDim.x * blockDim.x / 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned* mine = words + (only >= 0 ? 0 : warp * 32) + threadIdx.x % 32;
    const unsigned* cached = words + (1 << 20) + blockIdx.x * lines * 32 + threadIdx.x % 32;
    unsigned seen = 0;
    long long start = 0;
    for (int pass = -8; pass < LOOP_FENCES; ++pass) {
        if (pass == 0) start = clock64();
#pragma unroll 8
        for (int i = 0; i < lines; ++i) {
            unsigned x;
            if (KIND == LOADS_L2)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(cached + i * 32) : "memory");
            else
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(cached + i * 32) : "memory");
            seen |= x;
        }
        if (seen == 1) words[1] = seen;
#pragma unroll
        for (int i = 0; i < STORES; ++i)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + i * warps * 32), "r"(0) : "memory");
        fence<KIND>();
    }
    const long long end = clock64();
    if (threadIdx.x == 0) {
        clocks[blockIdx.x] = end - start;
        sms[blockIdx.x] = sm;
    }
}

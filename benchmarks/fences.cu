// Time fences with clock64, for fences.py: each block writes the clocks per fence of its first thread.
// KIND is the fence. A pass has STORES stores of each lane of the first warp before it.

#define LOOP_FENCES 64

enum Kind { NOTHING, RELEASE_GPU, ACQUIRE_GPU, ACQ_REL_GPU, SC_GPU, ACQ_REL_CLUSTER, ACQ_REL_SYSTEM, RELEASE_BLOCK };

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

// Blocks other than those of SM `only` end at once, unless it is negative. `lines` lines of 128 bytes are loaded into
// the L1 before each fence; the stores of a lane are `stride` words apart, and those of lanes one word.
template <int KIND, int STORES>
__global__ void fences(long long* clocks, unsigned* sms, unsigned* words, int only, int lines, int stride) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (only >= 0 && sm != only) return;
    unsigned* mine = words + (only >= 0 ? 0 : blockIdx.x * 32) + threadIdx.x % 32;
    const unsigned* cached = words + (1 << 20);
    unsigned seen = 0;
    long long total = 0;
    for (int pass = -8; pass < LOOP_FENCES; ++pass) {
        for (int i = 0; i < lines; ++i) {
            unsigned x;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(cached + i * 32 + threadIdx.x % 32) : "memory");
            seen |= x;
        }
        if (seen == 1) words[1] = seen;
        const long long start = clock64();
#pragma unroll
        for (int i = 0; i < STORES; ++i)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + i * stride), "r"(0) : "memory");
        fence<KIND>();
        const long long end = clock64();
        if (pass >= 0) total += end - start;
    }
    if (threadIdx.x == 0) {
        clocks[blockIdx.x] = total;
        sms[blockIdx.x] = sm;
    }
}

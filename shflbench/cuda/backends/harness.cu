// Kernels that the harness launches around a measured one. None is ever timed itself.

__device__ inline unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Keep the stream waiting, so that the host has queued a whole burst before the first kernel of it starts.
extern "C" __global__ void delay(unsigned long long duration_ns) {
    const unsigned long long start = nanoseconds();
    while (nanoseconds() - start < duration_ns) {}
}

// Note each SM's cycle counter and the time. The counter runs on between kernels, so that two stamps
// give the clock over everything in between.
extern "C" __global__ void stamp(unsigned long long* stamps, unsigned sm_slots) {
    if (threadIdx.x != 0) return;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm >= sm_slots) return;
    stamps[2 * sm] = clock64();
    stamps[2 * sm + 1] = nanoseconds();
}

// Load every SM's arithmetic units, so that the clock rises to where it stays under load.
extern "C" __global__ void busy(unsigned long long duration_ns, float* sink) {
    const unsigned long long start = nanoseconds();
    float x = threadIdx.x;
    while (nanoseconds() - start < duration_ns) {
        for (int i = 0; i < 256; ++i) x = x * 0.999f + 0.5f;
    }
    if (x < 0) *sink = x;  // never true: keeps the arithmetic
}

// Read `count` words of 16 bytes through the L2 cache, past the L1, so that nothing else is left in it.
extern "C" __global__ void read(const uint4* words, unsigned long long count, unsigned* sink) {
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned seen = 0;
#pragma unroll 4
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        const uint4 word = __ldcg(words + i);
        seen |= word.x | word.y | word.z | word.w;
    }
    if (seen != 0) *sink = seen;  // never true, as they are zeros: keeps the reads
}

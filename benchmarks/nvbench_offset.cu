// What `nvbench_offset.py` launches beside the kernels of the agreement: NVBench's own helpers, and kernels that do little.

__device__ inline unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Block the stream until the host sets the flag, at most a second. Source: nvbench/blocking_kernel.cu.
extern "C" __global__ void block_until(const volatile int* flag) {
    const unsigned long long start = nanoseconds();
    while (!*flag && nanoseconds() - start < 1000000000ull) {}
}

// Write the time and the cycle counter of one SM. Source: nvbench/detail/timestamps_kernel.cu.
extern "C" __global__ void timestamps(unsigned long long* where) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != 0) return;
    where[0] = nanoseconds();
    where[1] = clock64();
}

// 256 KiB of code in a row: more than the instruction caches of an SM hold.
extern "C" __global__ void long_code(float* sink) {
    float x = threadIdx.x;
#pragma unroll
    for (int i = 0; i < 16384; ++i) x = x * 0.999f + (float)i;
    if (x < 0) *sink = x;  // never true: keeps the arithmetic
}

extern "C" __global__ void empty() {}

extern "C" __global__ void arithmetic(float* out, int iterations) {
    float x = threadIdx.x;
    for (int i = 0; i < iterations; ++i) x = x * 0.999f + 0.5f;
    if (x < 0) *out = x;  // never true: reads its arguments, touches no memory
}

extern "C" __global__ void copy(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1.0f;
}

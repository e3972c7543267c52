// Kernels that are wrong on purpose, each in one way, and correct neighbors of them.
// Launch convention: (const int* values, int* result, int iterations), one element per thread.
constexpr unsigned ALL = 0xffffffffu;
__device__ inline int lane() { return threadIdx.x % 32; }
__device__ inline int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
extern __shared__ int slots[];

// One barrier: the next iteration's write may come before a slow lane's read.
extern "C" __global__ void one_barrier(const int* values, int* result, int iterations) {
    int x = values[thread()];
    for (int iteration = 0; iteration < iterations; ++iteration) {
        slots[threadIdx.x] = x;
        __syncthreads();
        x = slots[threadIdx.x ^ 1];
    }
    result[thread()] = x;
}

// Lanes that skip the shuffle are named by its mask.
extern "C" __global__ void shuffle_after_continue(const int* values, int* result, int iterations) {
    int x = values[thread()];
    for (int iteration = 0; iteration < iterations; ++iteration) {
        if (lane() >= 16) continue;
        x = __shfl_xor_sync(ALL, x, 1);
    }
    result[thread()] = x;
}

// The lower half reads lanes that its mask does not name.
extern "C" __global__ void unlisted_source(const int* values, int* result, int) {
    int x = values[thread()];
    if (lane() < 16) x = __shfl_sync(0xffffu, x, lane() + 16);
    result[thread()] = x;
}

// The upper half passes the mask of the lower half.
extern "C" __global__ void foreign_mask(const int* values, int* result, int) {
    const int x = values[thread()];
    result[thread()] = lane() < 16 ? __shfl_sync(0xffffu, x, 0) : __shfl_sync(0xffffu, x, 1);
}

// `__activemask` as the mask: right only while the warp happens to run together.
extern "C" __global__ void activemask_as_mask(const int* values, int* result, int) {
    const int x = values[thread()];
    result[thread()] = __shfl_sync(__activemask(), x, 31);
}

// `__syncwarp` orders one warp; the exchange crosses two.
extern "C" __global__ void syncwarp_across_warps(const int* values, int* result, int) {
    slots[threadIdx.x] = values[thread()];
    __syncwarp();
    result[thread()] = slots[threadIdx.x ^ 32];
}

// Half a warp each syncs for itself; the exchange crosses the halves.
extern "C" __global__ void half_sync_crossing(const int* values, int* result, int) {
    const unsigned half = lane() < 16 ? 0xffffu : 0xffff0000u;
    slots[threadIdx.x] = values[thread()];
    __syncwarp(half);
    result[thread()] = slots[threadIdx.x ^ 16];
}

// The same, and the exchange stays within the half: correct.
extern "C" __global__ void half_sync_within(const int* values, int* result, int) {
    const unsigned half = lane() < 16 ? 0xffffu : 0xffff0000u;
    slots[threadIdx.x] = values[thread()];
    __syncwarp(half);
    result[thread()] = slots[threadIdx.x ^ 8];
}

// A shuffle orders no memory accesses.
extern "C" __global__ void shuffle_as_fence(const int* values, int* result, int) {
    volatile int* out = slots;
    out[threadIdx.x] = values[thread()];
    const int one = __shfl_sync(ALL, 1, 0);
    result[thread()] = out[threadIdx.x ^ one];
}

// Half of the block never reaches the barrier and waits at another one for ever.
extern "C" __global__ void deadlock(const int* values, int* result, int) {
    int x = values[thread()];
    if (lane() < 16) __syncthreads();
    else x = __shfl_sync(ALL, x, 0);
    result[thread()] = x;
}

// Two barriers in two branches: the threads meet at different instructions.
extern "C" __global__ void divergent_barrier(const int* values, int* result, int) {
    int x = values[thread()];
    if (lane() < 16) { x += 1; __syncthreads(); x *= 3; }
    else { x += 2; __syncthreads(); x *= 5; }
    result[thread()] = x;
}

extern "C" __global__ void endless(const int* values, int* result, int) {
    volatile int* flag = slots;
    *flag = 0;
    while (*flag == 0) {}
    result[thread()] = values[thread()];
}

extern "C" __global__ void past_the_end(const int* values, int* result, int) {
    result[thread()] = values[thread() + 1];
}

extern "C" __global__ void shared_past_the_end(const int* values, int* result, int) {
    slots[threadIdx.x] = values[thread()];
    __syncthreads();
    result[thread()] = slots[threadIdx.x + 32];
}

extern "C" __global__ void misaligned(const int* values, int* result, int) {
    result[thread()] = *reinterpret_cast<const int*>(reinterpret_cast<const char*>(values) + 2 * (threadIdx.x == 5));
}

extern "C" __global__ void never_written(const int*, int* result, int) {
    volatile int* in = slots;
    result[thread()] = in[threadIdx.x];
}

// All threads write the same value to one place: a race that harms nobody today.
extern "C" __global__ void equal_writes(const int* values, int* result, int) {
    slots[0] = 7;
    __syncthreads();
    result[thread()] = slots[0] + values[thread()];
}

// A spin lock that needs the scheduler to be fair among the lanes of a warp: correct since Volta.
extern "C" __global__ void spin_lock(const int* values, int* result, int) {
    if (threadIdx.x == 0) { slots[0] = 0; slots[1] = 0; }
    __syncthreads();
    while (atomicCAS(&slots[0], 0, 1) != 0) {}
    const int ticket = atomicAdd(&slots[1], 1);
    atomicExch(&slots[0], 0);
    __syncthreads();
    result[thread()] = values[thread()] + 0 * ticket + atomicAdd(&slots[1], 0);
}

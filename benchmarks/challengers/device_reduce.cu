// Sums with one atomic addition per block; they differ in how the elements come to the threads. For order=block.
#include "bulk.cuh"
#include "sums.cuh"

constexpr int WARPS = BLOCK / WARP;
template <typename T>
constexpr int VECTORS = PER_THREAD * sizeof(T) / 16;  // of a thread

// Shuffles within warps; the other warps arrive at a barrier and end, and the first one adds up.
template <typename S>
__device__ void add_block(S sum, S* total) {
    __shared__ S of_warps[WARPS];
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) sum = add(sum, shfl_xor(sum, distance));
    if (threadIdx.x >= WARP) {
        if (lane() == 0) of_warps[threadIdx.x / WARP] = sum;
        __syncwarp();
        asm volatile("barrier.cta.arrive.aligned 1, %0;" :: "n"(BLOCK) : "memory");
        return;
    }
    asm volatile("barrier.cta.sync.aligned 1, %0;" :: "n"(BLOCK) : "memory");
    if (lane() > 0) sum = lane() < WARPS ? of_warps[lane()] : S(0);
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) sum = add(sum, shfl_xor(sum, distance));
    if (lane() == 0) add_to(total, sum);
}

template <int IN_FLIGHT, typename T, typename Read>
__device__ Sum<T> sum_by(const T* values, Read read) {
    using Word = typename Wide<T>::type;
    const Word* mine = first_word<Word>(values);
    Sum<T> sum = 0;
#pragma unroll
    for (int first = 0; first < VECTORS<T>; first += IN_FLIGHT) {
        Word words[IN_FLIGHT];
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; ++i) words[i] = read(&mine[(first + i) * step()]);
#pragma unroll
        for (int i = 0; i < IN_FLIGHT; ++i) sum = add(sum, sum_of(words[i]));
    }
    return sum;
}
struct Plain {
    template <typename W>
    __device__ W operator()(const W* at) const { return *at; }
};
struct Once {
    template <typename W>
    __device__ W operator()(const W* at) const { return __ldcs(at); }
};
// Through the read-only path, without a place in L1, and with 256 bytes at a time from DRAM to L2.
struct Pairs {
    __device__ float4 operator()(const float4* at) const {
        float4 x;
        asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(at));
        return x;
    }
    __device__ int4 operator()(const int4* at) const {
        int4 x;
        asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.s32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(at));
        return x;
    }
};

template <typename T>
__device__ const char* part_of(const T* values, int block) {
    return reinterpret_cast<const char*>(values + size_t(block) * (BLOCK * PER_THREAD));
}
__device__ constexpr unsigned part_bytes(int size) { return BLOCK * PER_THREAD * size; }

// All loads of a thread in flight; so only six blocks of 256 threads fit an SM.
template <typename T>
__global__ void __launch_bounds__(BLOCK, 1536 / BLOCK) my_device_reduce_x_deep(const T* values, Sum<T>* total) {
    add_block(sum_by<VECTORS<T>>(values, Plain()), total);
}

// One instruction asks for all that the block will load, so that the second half of the loads waits for L2 only.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_x_prefetch_own(const T* values, Sum<T>* total) {
    constexpr unsigned BYTES = part_bytes(sizeof(T)) / 2;
    if (threadIdx.x == 0) prefetch_bytes(part_of(values, blockIdx.x) + BYTES, BYTES);
    add_block(sum_by<VECTORS<T> / 2>(values, Plain()), total);
}

// Before a block adds up, it asks for the first half of what its successor on the SM will load.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_x_prefetch_next(const T* values, Sum<T>* total) {
    const Sum<T> sum = sum_by<VECTORS<T> / 2>(values, Plain());
    if (threadIdx.x == 0) {
        unsigned sms;
        asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
        const unsigned next = blockIdx.x + sms * (2048 / BLOCK);
        if (next < gridDim.x) prefetch_bytes(part_of(values, next), part_bytes(sizeof(T)) / 2);
    }
    add_block(sum, total);
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_x_pairs(const T* values, Sum<T>* total) {
    add_block(sum_by<VECTORS<T> / 2>(values, Pairs()), total);
}

// Evict-first loads.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_x_once(const T* values, Sum<T>* total) {
    add_block(sum_by<VECTORS<T> / 2>(values, Once()), total);
}

// Only the first 24 MiB should stay in L2: a launch that sums the same array again finds them there.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_x_keep(const T* values, Sum<T>* total) {
    constexpr unsigned KEPT = (24u << 20) / part_bytes(sizeof(T));
    const Sum<T> sum = blockIdx.x < KEPT ? sum_by<VECTORS<T> / 2>(values, Plain()) : sum_by<VECTORS<T> / 2>(values, Once());
    add_block(sum, total);
}

// Four bulk copies bring the whole part of the block to shared memory; each has a barrier.
template <typename T>
__global__ void __launch_bounds__(BLOCK) my_device_reduce_x_bulk(const T* values, Sum<T>* total) {
    using Word = typename Wide<T>::type;
    constexpr int STAGES = 4, EACH = VECTORS<T> / STAGES;
    constexpr unsigned BYTES = part_bytes(sizeof(T)) / STAGES;
    __shared__ Barrier arrived[STAGES];
    const Word* mine = shared<Word>() + threadIdx.x;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < STAGES; ++i) init_barrier(&arrived[i]);
        fence_of_proxies();
#pragma unroll
        for (int i = 0; i < STAGES; ++i) {
            expect_bytes(&arrived[i], BYTES);
            bulk_load(shared<char>() + i * BYTES, part_of(values, blockIdx.x) + i * BYTES, BYTES, &arrived[i]);
        }
    }
    __syncthreads();
    Sum<T> sum = 0;
#pragma unroll
    for (int i = 0; i < STAGES; ++i) {
        wait_barrier(&arrived[i], 0);
#pragma unroll
        for (int j = 0; j < EACH; ++j) sum = add(sum, sum_of(mine[(i * EACH + j) * BLOCK]));
    }
    add_block(sum, total);
}

// Asynchronous copies past L1, all of a thread in flight; each thread reads only its own.
template <typename T>
__global__ void __launch_bounds__(BLOCK) my_device_reduce_x_cp_async(const T* values, Sum<T>* total) {
    using Word = typename Wide<T>::type;
    constexpr int N = VECTORS<T>;
    const Word* from = first_word<Word>(values);
    Word* mine = shared<Word>() + threadIdx.x;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        start_copy(&mine[i * BLOCK], &from[i * step()]);
        if (i % (N / 2) == N / 2 - 1) end_group();
    }
    Sum<T> sum = 0;
    wait_for_groups<1>();
#pragma unroll
    for (int i = 0; i < N / 2; ++i) sum = add(sum, sum_of(mine[i * BLOCK]));
    wait_for_groups<0>();
#pragma unroll
    for (int i = N / 2; i < N; ++i) sum = add(sum, sum_of(mine[i * BLOCK]));
    add_block(sum, total);
}

// One counter. Four loads of 16 bytes per thread; one funnel shift per element collects the sign bits, and one `popc` counts
// the elements that are negative.
#include "bins.cuh"
#include "bulk.cuh"

#ifndef CLUSTER
#define CLUSTER 8
#endif

constexpr int VECTORS = PER_THREAD / 4;
constexpr int AHEAD = 1152;  // blocks; somewhat more than are resident, 1,056

template <typename T>
__device__ const int4* vectors_of(const T* values, int block) {
    return reinterpret_cast<const int4*>(values) + block * (blockDim.x * VECTORS);
}

struct Signs {
    int4 x[VECTORS];

    template <typename T>
    __device__ explicit Signs(const T* values) {
        const int4* mine = vectors_of(values, blockIdx.x) + threadIdx.x;
#pragma unroll
        for (int i = 0; i < VECTORS; ++i) x[i] = mine[i * blockDim.x];
    }
    // From shared memory, where the block's elements are.
    template <typename T>
    __device__ Signs(const T* tile, int) {
        const int4* mine = reinterpret_cast<const int4*>(tile) + threadIdx.x;
#pragma unroll
        for (int i = 0; i < VECTORS; ++i) x[i] = mine[i * blockDim.x];
    }
    // How many of the thread's elements are not negative.
    __device__ int count() const {
        unsigned a = 0, b = 0;
#pragma unroll
        for (int i = 0; i < VECTORS; ++i) {
            a = __funnelshift_l(x[i].x, a, 1);
            b = __funnelshift_l(x[i].y, b, 1);
            a = __funnelshift_l(x[i].z, a, 1);
            b = __funnelshift_l(x[i].w, b, 1);
        }
        return PER_THREAD - __popc(a << PER_THREAD / 2 | b);
    }
};

// Warps leave their sums in shared memory; after one barrier, the first warp adds them up by one instruction.
template <typename T>
__device__ void add_up(T* counts, T of_lane) {
    T* of_warps = shared<T>();
    const T of_warp = __reduce_add_sync(FULL_WARP, of_lane);
    if (lane() == 0) of_warps[threadIdx.x / WARP] = of_warp;
    __syncthreads();
    if (threadIdx.x >= WARP) return;
    const T of_block = __reduce_add_sync(FULL_WARP, lane() < blockDim.x / WARP ? of_warps[lane()] : 0);
    if (lane() == 0) add_to(counts, of_block);
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_count_x_vector(const T* values, T* counts, int) {
    const Signs mine(values);
    add_up(counts, mine.count());
}

// The same; each block asks for the elements of a later one, so that these come from L2.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_x_prefetch(const T* values, T* counts, int) {
    const Signs mine(values);
    if (threadIdx.x == 0 && blockIdx.x + AHEAD < gridDim.x) {
        prefetch_bytes(vectors_of(values, blockIdx.x + AHEAD), blockDim.x * PER_THREAD * sizeof(T));
    }
    add_up(counts, mine.count());
}

// No barrier at the end: a word in shared memory has the sum and the number of warps that have added to it. The last one
// adds to the counter. All warps issue their loads before the barrier that makes the word zero.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_x_ticket(const T* values, T* counts, int) {
    constexpr unsigned ONE_WARP = 1u << 24;
    __shared__ unsigned word;
    if (threadIdx.x == 0) word = 0;
    const Signs mine(values);
    __syncthreads();
    const unsigned of_warp = ONE_WARP + __reduce_add_sync(FULL_WARP, unsigned(mine.count()));
    if (lane() == 0) {
        unsigned old;
        asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;"
                     : "=r"(old) : "r"(shared_address(&word)), "r"(of_warp) : "memory");
        const unsigned sum = old + of_warp;
        if (sum / ONE_WARP == blockDim.x / WARP) add_to(counts, int(sum % ONE_WARP));
    }
}

// The other warps arrive at the barrier and end; only the first one waits.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_x_arrive(const T* values, T* counts, int) {
    T* of_warps = shared<T>();
    const Signs mine(values);
    const T of_warp = __reduce_add_sync(FULL_WARP, mine.count());
    if (threadIdx.x >= WARP) {
        if (lane() == 0) of_warps[threadIdx.x / WARP] = of_warp;
        __syncwarp();
        asm volatile("barrier.cta.arrive.aligned 1, %0;" :: "r"(blockDim.x) : "memory");
        return;
    }
    if (blockDim.x > WARP) asm volatile("barrier.cta.sync.aligned 1, %0;" :: "r"(blockDim.x) : "memory");
    T of_others = 0;
    if (lane() > 0 && lane() < blockDim.x / WARP) of_others = of_warps[lane()];
    const T of_block = of_warp + __reduce_add_sync(FULL_WARP, of_others);
    if (lane() == 0) add_to(counts, of_block);
}

// Barriers that count: one for each bit of the threads' sums. Neither shared memory nor shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_x_barriers(const T* values, T* counts, int) {
    const Signs mine(values);
    const int of_thread = mine.count();
    T of_block = 0;
#pragma unroll
    for (int bit = 1; bit <= PER_THREAD; bit *= 2) of_block += bit * __syncthreads_count(of_thread & bit);
    if (threadIdx.x == 0) add_to(counts, of_block);
}

// One bulk copy brings the elements of the block to shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_x_bulk(const T* values, T* counts, int) {
    __shared__ Barrier arrived;
    __shared__ unsigned word;
    const int4* tile = shared<int4>();
    constexpr unsigned ONE_WARP = 1u << 24;
    if (threadIdx.x == 0) {
        const unsigned bytes = blockDim.x * PER_THREAD * sizeof(T);
        init_barrier(&arrived);
        fence_of_proxies();
        expect_bytes(&arrived, bytes);
        bulk_load(shared<int4>(), vectors_of(values, blockIdx.x), bytes, &arrived);
        word = 0;
    }
    __syncthreads();
    wait_barrier(&arrived, 0);
    Signs mine(reinterpret_cast<const T*>(tile), 0);
    const unsigned of_warp = ONE_WARP + __reduce_add_sync(FULL_WARP, unsigned(mine.count()));
    if (lane() == 0) {
        unsigned old;
        asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;"
                     : "=r"(old) : "r"(shared_address(&word)), "r"(of_warp) : "memory");
        const unsigned sum = old + of_warp;
        if (sum / ONE_WARP == blockDim.x / WARP) add_to(counts, int(sum % ONE_WARP));
    }
}

// One atomic addition in global memory per cluster. Warps add in the shared memory of its first block.
template <typename T>
__global__ void __cluster_dims__(CLUSTER) LAUNCH_BOUNDS my_count_x_cluster(const T* values, T* counts, int) {
    __shared__ T of_cluster;
    const unsigned rank = rank_in_cluster();
    if (threadIdx.x == 0) of_cluster = 0;
    __syncwarp();
    cluster_arrive();
    const Signs mine(values);
    cluster_wait();
    const T of_warp = __reduce_add_sync(FULL_WARP, mine.count());
    if (lane() == 0) add_at(address_in(0, &of_cluster), of_warp);
    __syncwarp();
    cluster_arrive();
    cluster_wait();
    if (rank == 0 && threadIdx.x == 0) add_to(counts, of_cluster);
}

// challenge count --dtype i32 --option counters=1 --launch '16384x256' --shared 8
#include "bins.cuh"
#include "shflbench.cuh"

constexpr int VECTORS = PER_THREAD / 4;

enum Load { PLAIN, STREAMING, NO_L1 };

template <Load LOAD>
__device__ int4 load(const int4* from) {
    if constexpr (LOAD == PLAIN) return *from;
    if constexpr (LOAD == STREAMING) return __ldcs(from);
    int4 x;
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(from));
    return x;
}

// The sum of a block without a barrier after the loads: each warp adds its count and, in the upper bits, itself to one word in
// shared memory; the warp that finds all others there adds the sum to the counter. So a warp ends as soon as it has its own
// elements. The word is cleared while the loads are under way. A block has at most 32 warps and 2^14 elements.
template <Load LOAD, int AHEAD_BYTES, typename T>
__device__ void count_by_arrivals(const T* values, T* counts) {
    unsigned* const arrived = shared<unsigned>();
    const int4* const of_block = reinterpret_cast<const int4*>(values) + blockIdx.x * (blockDim.x * VECTORS);
    int4 x[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) x[i] = load<LOAD>(of_block + threadIdx.x + i * blockDim.x);
    if (threadIdx.x == 0) {
        arrived[0] = arrived[1] = 0;
        if constexpr (AHEAD_BYTES > 0) {
            const int blocks = AHEAD_BYTES / (blockDim.x * PER_THREAD * int(sizeof(T)));
            if (blockIdx.x + blocks < gridDim.x) {
                asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                             :: "l"(of_block + blocks * (blockDim.x * VECTORS)), "r"(blockDim.x * VECTORS * 16u) : "memory");
            }
        }
    }
    __syncthreads();
    // A zero that comes after the barrier: the compiler would move all that does not need it to before the barrier, which then
    // waits for the loads.
    unsigned even = volatile_load(arrived + 1), odd = 0;
#pragma unroll
    for (int i = 0; i < VECTORS; ++i) {
        even = __funnelshift_l(x[i].x, even, 1);
        odd = __funnelshift_l(x[i].y, odd, 1);
        even = __funnelshift_l(x[i].z, even, 1);
        odd = __funnelshift_l(x[i].w, odd, 1);
    }
    const unsigned of_warp = __reduce_add_sync(FULL_WARP, PER_THREAD - __popc(even << 8 | odd));
    if (lane() != 0) return;
    constexpr unsigned ONE_WARP = 1u << 20;
    const unsigned sum = atomicAdd(arrived, of_warp + ONE_WARP) + of_warp + ONE_WARP;
    if (sum / ONE_WARP == blockDim.x / WARP) atomicAdd(counts, T(sum % ONE_WARP));
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_arrivals(const T* values, T* counts, int) { count_by_arrivals<PLAIN, 0>(values, counts); }

template <typename T>
__global__ void LAUNCH_BOUNDS x_arrivals_streaming(const T* values, T* counts, int) {
    count_by_arrivals<STREAMING, 0>(values, counts);
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_arrivals_no_l1(const T* values, T* counts, int) {
    count_by_arrivals<NO_L1, 0>(values, counts);
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_arrivals_prefetch(const T* values, T* counts, int) {
    count_by_arrivals<PLAIN, 20 << 20>(values, counts);
}

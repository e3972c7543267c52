// Challengers of `count` with one counter: other shapes of the launch, other ways to load. Elements are counted as in
// redux-block-wide. `threads` times 16 is the number of elements.
#include "bins.cuh"
#include "bulk.cuh"

__device__ inline int negative(const int4 (&x)[4]) {
    unsigned even = 0, odd = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        even = __funnelshift_l(x[i].x, even, 1);
        odd = __funnelshift_l(x[i].y, odd, 1);
        even = __funnelshift_l(x[i].z, even, 1);
        odd = __funnelshift_l(x[i].w, odd, 1);
    }
    return __popc(even << 8 | odd);
}
__device__ inline void add_up(int* counts, int of_lane) {
    __shared__ int of_warps[WARP];
    const int of_warp = __reduce_add_sync(FULL_WARP, of_lane), warps = blockDim.x / WARP;
    if (lane() == 0) of_warps[threadIdx.x / WARP] = of_warp;
    __syncthreads();
    if (threadIdx.x >= WARP) return;
    const int of_block = __reduce_add_sync(FULL_WARP, lane() < warps ? of_warps[lane()] : 0);
    if (lane() == 0) add_to(counts, of_block);
}

// VECTORS of 16 bytes per thread, of which GROUPS of four are counted together; those beyond the end have the sign of -1.
template <int GROUPS, typename Read>
__device__ int count_part(const int* values, int threads, Read read) {
    const int vectors = threads * (PER_THREAD / 4), first = blockIdx.x * blockDim.x * (4 * GROUPS) + threadIdx.x;
    const int4* from = reinterpret_cast<const int4*>(values) + first;
    int4 x[GROUPS][4];
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int at = (g * 4 + i) * blockDim.x;
            x[g][i] = make_int4(-1, -1, -1, -1);
            if (first + at < vectors) x[g][i] = read(from + at);
        }
    }
    int count = 0;
#pragma unroll
    for (int g = 0; g < GROUPS; ++g) count += 16 - negative(x[g]);
    return count;
}
// Two vectors per thread.
__device__ inline int count_half(const int* values, int threads) {
    const int vectors = threads * (PER_THREAD / 4), first = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    const int4* from = reinterpret_cast<const int4*>(values) + first;
    int4 a = make_int4(-1, -1, -1, -1), b = a;
    if (first < vectors) a = from[0];
    if (first + int(blockDim.x) < vectors) b = from[blockDim.x];
    unsigned even = unsigned(a.x) >> 31, odd = unsigned(a.y) >> 31;
    even = __funnelshift_l(a.z, even, 1);
    odd = __funnelshift_l(a.w, odd, 1);
    even = __funnelshift_l(b.x, even, 1);
    odd = __funnelshift_l(b.y, odd, 1);
    even = __funnelshift_l(b.z, even, 1);
    odd = __funnelshift_l(b.w, odd, 1);
    return 8 - __popc(even << 4 | odd);
}
struct Plain {
    __device__ int4 operator()(const int4* at) const { return *at; }
};
struct PastL1 {
    __device__ int4 operator()(const int4* at) const { return load_past_l1(at); }
};

#define COUNT(name, bounds, expression) \
    template <typename T> \
    __global__ void __launch_bounds__ bounds my_count_##name(const T* values, T* counts, int threads) { \
        add_up(counts, expression); \
    }
COUNT(x_block128, (128, 16), (count_part<1>(values, threads, Plain())))
COUNT(x_block512, (512, 4), (count_part<1>(values, threads, Plain())))
COUNT(x_block1024, (1024, 2), (count_part<1>(values, threads, Plain())))
COUNT(x_past_l1, (256, 8), (count_part<1>(values, threads, PastL1())))
COUNT(x_half, (256, 8), (count_half(values, threads)))
COUNT(x_double, (256, 5), (count_part<2>(values, threads, Plain())))

// No barrier: one addition per warp, and loads of 16 bytes.
template <typename T>
__global__ void __launch_bounds__(128, 16) my_count_x_redux_wide(const T* values, T* counts, int threads) {
    const int of_warp = __reduce_add_sync(FULL_WARP, count_part<1>(values, threads, Plain()));
    if (lane() == 0) add_to(counts, of_warp);
}

// A resident grid; the next 64 bytes of a thread are loaded before it counts the ones before.
template <typename T>
__global__ void __launch_bounds__(256, 4) my_count_x_resident(const T* values, T* counts, int threads) {
    const int step = gridDim.x * blockDim.x;
    const int4* from = reinterpret_cast<const int4*>(values);
    const auto load = [&](int4 (&x)[4], int unit) {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[i] = from[(size_t(unit) * 4 + i) * WARP + lane()];
    };
    const int units = threads / WARP, stride = step / WARP;  // of 128 vectors, for a warp
    int unit = thread() / WARP, count = 0;
    int4 x[4];
    if (unit < units) {
        load(x, unit);
        for (; unit + stride < units; unit += stride) {
            int4 later[4];
            load(later, unit + stride);
            count += 16 - negative(x);
#pragma unroll
            for (int i = 0; i < 4; ++i) x[i] = later[i];
        }
        count += 16 - negative(x);
    }
    add_up(counts, count);
}

// A resident grid; bulk copies bring 2 KB at a time to a ring in shared memory of each warp.
template <typename T>
__global__ void __launch_bounds__(256, 3) my_count_x_ring(const T* values, T* counts, int threads) {
    constexpr int STAGES = 4, CHUNK = 2048, WARPS = 8;
    __shared__ Barrier barriers[WARPS][STAGES];
    const int warp = threadIdx.x / WARP;
    int count = 0;
    for_chunks<STAGES, CHUNK>(
        shared<char>() + warp * (STAGES * CHUNK), barriers[warp], reinterpret_cast<const char*>(values), thread() / WARP,
        gridDim.x * WARPS, threads / WARP, [&](const char* chunk) {
            int4 x[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) x[i] = reinterpret_cast<const int4*>(chunk)[i * WARP + lane()];
            count += 16 - negative(x);
        });
    add_up(counts, count);
}

// Challengers of `device-reduce`, f32: other shapes of the launch. `vectors`: of 16 bytes, in the array.
#include "bulk.cuh"

__device__ inline float sum_of(float4 x) { return (x.x + x.y) + (x.z + x.w); }
__device__ inline float warp_sum(float sum) {
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(FULL_WARP, sum, distance);
    return sum;
}
__device__ inline void add_block(float sum, float* total) {
    __shared__ float of_warps[WARP];
    sum = warp_sum(sum);
    if (lane() == 0) of_warps[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x >= WARP) return;
    sum = warp_sum(lane() < blockDim.x / WARP ? of_warps[lane()] : 0.0f);
    if (lane() == 0) add_to(total, sum);
}

// Each block has VECTORS adjacent rows of blockDim.x vectors, BATCH loads of a thread in flight.
template <int VECTORS, int BATCH>
__device__ float sum_part(const float* values, int vectors) {
    const int first = blockIdx.x * (blockDim.x * VECTORS) + threadIdx.x;
    const float4* from = reinterpret_cast<const float4*>(values) + first;
    float sum = 0;
#pragma unroll
    for (int start = 0; start < VECTORS; start += BATCH) {
        float4 x[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            const int at = (start + i) * blockDim.x;
            x[i] = make_float4(0, 0, 0, 0);
            if (first + at < vectors) x[i] = from[at];
        }
#pragma unroll
        for (int i = 0; i < BATCH; ++i) sum += sum_of(x[i]);
    }
    return sum;
}
#define REDUCE(name, bounds, expression) \
    template <typename T> \
    __global__ void __launch_bounds__ bounds my_device_reduce_##name(const T* values, T* total, int vectors) { \
        add_block(expression, total); \
    }
REDUCE(x_quarter, (256, 8), (sum_part<2, 2>(values, vectors)))
REDUCE(x_half, (256, 8), (sum_part<4, 4>(values, vectors)))
REDUCE(x_double, (256, 8), (sum_part<16, 4>(values, vectors)))
REDUCE(x_block1024, (1024, 2), (sum_part<8, 4>(values, vectors)))
REDUCE(x_block128, (128, 16), (sum_part<8, 4>(values, vectors)))

// A resident grid; the next four vectors of a thread are loaded before the ones before are added.
template <typename T>
__global__ void __launch_bounds__(256, 5) my_device_reduce_x_resident(const T* values, T* total, int vectors) {
    constexpr int EACH = 4, UNIT = EACH * WARP;
    const float4* from = reinterpret_cast<const float4*>(values);
    const int units = vectors / UNIT, stride = gridDim.x * blockDim.x / WARP;  // units of a warp
    const auto load = [&](float4 (&x)[EACH], int unit) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) x[i] = from[size_t(unit) * UNIT + i * WARP + lane()];
    };
    float sum = 0;
    int unit = thread() / WARP;
    if (unit < units) {
        float4 x[EACH];
        load(x, unit);
        for (; unit + stride < units; unit += stride) {
            float4 later[EACH];
            load(later, unit + stride);
#pragma unroll
            for (int i = 0; i < EACH; ++i) sum += sum_of(x[i]);
#pragma unroll
            for (int i = 0; i < EACH; ++i) x[i] = later[i];
        }
#pragma unroll
        for (int i = 0; i < EACH; ++i) sum += sum_of(x[i]);
    }
    add_block(sum, total);
}

// A resident grid; bulk copies bring 2 KB at a time to a ring in shared memory of each warp.
template <typename T>
__global__ void __launch_bounds__(256, 3) my_device_reduce_x_ring(const T* values, T* total, int vectors) {
    constexpr int STAGES = 4, CHUNK = 2048, WARPS = 8;
    __shared__ Barrier barriers[WARPS][STAGES];
    const int warp = threadIdx.x / WARP;
    float sum = 0;
    for_chunks<STAGES, CHUNK>(
        shared<char>() + warp * (STAGES * CHUNK), barriers[warp], reinterpret_cast<const char*>(values), thread() / WARP,
        gridDim.x * WARPS, vectors / (CHUNK / 16), [&](const char* chunk) {
#pragma unroll
            for (int i = 0; i < 4; ++i) sum += sum_of(reinterpret_cast<const float4*>(chunk)[i * WARP + lane()]);
        });
    add_block(sum, total);
}

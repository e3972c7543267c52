// challenge block-reduce --dtype f32 --option result=all --launch 'sms x 256' --launch '8*sms x 256'
//
// Sums of a block of floats. Blocks of an SM differ in which warp adds, so that each of its schedulers has such warps.
#include "matrix_sums.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

namespace block_sums {

// Blocks of an SM have numbers that are near one another, or differ by the number of SMs.
__device__ inline int adding_warp() { return (blockIdx.x + blockIdx.x * 8 / gridDim.x) % WARPS; }

// The sum of the values that a lane loads, 16 bytes at a time, of all of the block: BLOCK / 32 in each lane.
__device__ inline float sum_of_share(const float* slots) {
    static_assert(BLOCK >= 128);
    const float4* const vectors = reinterpret_cast<const float4*>(slots) + lane();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < BLOCK / 128; ++i) {
        const float4 four = vectors[32 * i];
        const float part = (four.x + four.y) + (four.z + four.w);
        sum = i == 0 ? part : sum + part;
    }
    return sum;
}

struct Shuffles { __device__ static float sum(float x) { return matrix::butterfly(x); } };
template <matrix::Parts PARTS>
struct Matrix { __device__ static float sum(float x) { return matrix::warp_sum<PARTS>(x); } };

template <typename Warp>
__device__ float raking(float x, float* slots, int adding) {
    float* const all = slots + BLOCK;
    slots[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x / WARP == adding) {
        const float sum = Warp::sum(sum_of_share(slots));
        if (lane() == 0) *all = sum;
    }
    __syncthreads();
    return *all;
}

// Two barriers of which each warp waits at one only: the others announce that they have written, and wait for the sum.
template <typename Warp>
__device__ float raking_arrive(float x, float* slots, int adding) {
    float* const all = slots + BLOCK;
    slots[threadIdx.x] = x;
    if (threadIdx.x / WARP == adding) {
        asm volatile("barrier.cta.sync.aligned 1, %0;" :: "n"(BLOCK) : "memory");
        const float sum = Warp::sum(sum_of_share(slots));
        if (lane() == 0) *all = sum;
        __syncwarp();
        asm volatile("barrier.cta.arrive.aligned 2, %0;" :: "n"(BLOCK) : "memory");
        return sum;
    }
    asm volatile("barrier.cta.arrive.aligned 1, %0;" :: "n"(BLOCK) : "memory");
    asm volatile("barrier.cta.sync.aligned 2, %0;" :: "n"(BLOCK) : "memory");
    return *all;
}

// All warps add the sums of warps, each of which takes two matrix instructions. Two buffers.
template <matrix::Parts PARTS>
__device__ float once(float x, float (*&now)[WARPS], float (*&next)[WARPS]) {
    const float of_warp = matrix::warp_sum<PARTS>(x);
    if (lane() == 0) (*now)[threadIdx.x / WARP] = of_warp;
    __syncthreads();
    const float4* const vectors = reinterpret_cast<const float4*>(*now);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < WARPS / 4; ++i) {
        const float4 four = vectors[i];
        const float part = (four.x + four.y) + (four.z + four.w);
        sum = i == 0 ? part : sum + part;
    }
    swap(now, next);
    return sum;
}

// All warps load all values, then add their lanes. Two buffers.
template <typename Warp>
__device__ float all_load(float x, float*& now, float*& next) {
    now[threadIdx.x] = x;
    __syncthreads();
    const float sum = Warp::sum(sum_of_share(now));
    swap(now, next);
    return sum;
}

}  // namespace block_sums

__global__ void LAUNCH_BOUNDS x_raking_spread(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK + 1];
    const int adding = block_sums::adding_warp();
    float x = values[thread()];
    REPEAT(iterations) x = advance(x, block_sums::raking<block_sums::Shuffles>(x, slots, adding));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_raking_spread_bf16(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK + 1];
    const int adding = block_sums::adding_warp();
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, block_sums::raking<block_sums::Matrix<matrix::BF16_PARALLEL>>(x, slots, adding));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_raking_spread_tf32(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK + 1];
    const int adding = block_sums::adding_warp();
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, block_sums::raking<block_sums::Matrix<matrix::TF32>>(x, slots, adding));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_raking_arrive(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK + 1];
    const int adding = block_sums::adding_warp();
    float x = values[thread()];
    REPEAT(iterations) x = advance(x, block_sums::raking_arrive<block_sums::Shuffles>(x, slots, adding));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_raking_arrive_bf16(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK + 1];
    const int adding = block_sums::adding_warp();
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) {
        x = advance(x, block_sums::raking_arrive<block_sums::Matrix<matrix::BF16_PARALLEL>>(x, slots, adding));
    }
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_matrix_once_tf32(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float sums[2][WARPS];
    float(*now)[WARPS] = &sums[0], (*next)[WARPS] = &sums[1];
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, block_sums::once<matrix::TF32>(x, now, next));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_matrix_once_bf16(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float sums[2][WARPS];
    float(*now)[WARPS] = &sums[0], (*next)[WARPS] = &sums[1];
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, block_sums::once<matrix::BF16_PARALLEL>(x, now, next));
    result[thread()] = x;
}

__global__ void LAUNCH_BOUNDS x_all_load_tf32(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[2][BLOCK];
    float *now = slots[0], *next = slots[1];
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, block_sums::all_load<block_sums::Matrix<matrix::TF32>>(x, now, next));
    result[thread()] = x;
}

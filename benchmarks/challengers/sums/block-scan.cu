// challenge block-scan --dtype f32 --option kind=inclusive --launch '8*sms x 256'
//
// Prefix sums of a block of floats by one of its warps, as in `raking-shfl`. Blocks of an SM differ in which warp adds,
// so that each of its schedulers has such warps; matrix instructions replace the shuffles that wait for one another.
#include "matrix_sums.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

namespace block_scans {

__device__ inline int adding_warp() { return (blockIdx.x + blockIdx.x * 8 / gridDim.x) % WARPS; }

// Each lane has 8 adjacent values, in two chunks of 16 bytes, which change places within 128 bytes.
static_assert(BLOCK == 256);
__device__ inline int place_of(int chunk) { return chunk ^ (chunk / 8) % 2; }

struct Shuffles {
    __device__ static float lower(float x) {
        float sum = __shfl_up_sync(FULL_WARP, x, 1);
        if (lane() == 0) sum = 0;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const float below = __shfl_up_sync(FULL_WARP, sum, distance);
            if (lane() >= distance) sum += below;
        }
        return sum;
    }
};
template <matrix::Parts PARTS>
struct Matrix { __device__ static float lower(float x) { return matrix::lower_lanes<PARTS>(x); } };

// In three steps: of groups of four lanes, and of four and of two such groups. Shuffles of a step do not wait for one
// another.
struct Steps {
    __device__ static float lower(float x) {
        const int place = lane() % 4, group = lane() / 4;
        const float first = __shfl_up_sync(FULL_WARP, x, 1, 4), second = __shfl_up_sync(FULL_WARP, x, 2, 4),
                    third = __shfl_up_sync(FULL_WARP, x, 3, 4);
        float below = place >= 1 ? first : 0;
        if (place >= 2) below += second;
        if (place >= 3) below += third;
        const float last = below + x;  // in the last lane of a group, its sum
        // The lanes of a group take the sums of seven lower groups in turn: place, place + 4
        const float one = __shfl_sync(FULL_WARP, last, place * 4 + 3), other = __shfl_sync(FULL_WARP, last, (place + 4) * 4 + 3);
        float lower = place < group ? one : 0;
        if (place + 4 < group) lower += other;
        lower += __shfl_xor_sync(FULL_WARP, lower, 1);
        lower += __shfl_xor_sync(FULL_WARP, lower, 2);
        return below + lower;
    }
};

__device__ inline void scan_four(float4& four) {
    four.y += four.x;
    const float upper = four.z + four.w;
    four.z += four.y;
    four.w = four.y + upper;
}

template <typename Warp>
__device__ void scan_slots(float* slots) {
    float4* const chunks = reinterpret_cast<float4*>(slots);
    float4 *const low = chunks + place_of(2 * lane()), *const high = chunks + place_of(2 * lane() + 1);
    float4 a = *low, b = *high;
    scan_four(a);
    scan_four(b);
    const float below = Warp::lower(a.w + b.w), middle = below + a.w;
    *low = {below + a.x, below + a.y, below + a.z, middle};
    *high = {middle + b.x, middle + b.y, middle + b.z, middle + b.w};
}

template <typename Warp>
__device__ float raking(float x, float* slots, float* own, int adding) {
    *own = x;
    __syncthreads();
    if (threadIdx.x / WARP == adding) scan_slots<Warp>(slots);
    __syncthreads();
    return *own;
}

// Two barriers of which each warp waits at one only: the others announce that they have written, and wait for the sums.
template <typename Warp>
__device__ float raking_arrive(float x, float* slots, float* own, int adding) {
    *own = x;
    if (threadIdx.x / WARP == adding) {
        asm volatile("barrier.cta.sync.aligned 1, %0;" :: "n"(BLOCK) : "memory");
        scan_slots<Warp>(slots);
        __syncwarp();
        asm volatile("barrier.cta.arrive.aligned 2, %0;" :: "n"(BLOCK) : "memory");
    } else {
        asm volatile("barrier.cta.arrive.aligned 1, %0;" :: "n"(BLOCK) : "memory");
        asm volatile("barrier.cta.sync.aligned 2, %0;" :: "n"(BLOCK) : "memory");
    }
    return *own;
}

// The number of the thread, read again: nothing is kept in a register meanwhile.
__device__ inline int thread_again() {
    unsigned block, of_block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(of_block));
    return block * BLOCK + of_block;
}

__device__ inline float* own_slot(float* slots) {
    return slots + place_of(threadIdx.x / 4) * 4 + threadIdx.x % 4;
}

}  // namespace block_scans

__global__ void LAUNCH_BOUNDS x_spread(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK];
    float* const own = block_scans::own_slot(slots);
    const int adding = block_scans::adding_warp();
    float x = values[thread()];
    REPEAT(iterations) x = advance(x, block_scans::raking<block_scans::Shuffles>(x, slots, own, adding));
    result[block_scans::thread_again()] = x;
}

__global__ void LAUNCH_BOUNDS x_spread_steps(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK];
    float* const own = block_scans::own_slot(slots);
    const int adding = block_scans::adding_warp();
    float x = values[thread()];
    REPEAT(iterations) x = advance(x, block_scans::raking<block_scans::Steps>(x, slots, own, adding));
    result[block_scans::thread_again()] = x;
}

__global__ void LAUNCH_BOUNDS x_spread_bf16(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK];
    float* const own = block_scans::own_slot(slots);
    const int adding = block_scans::adding_warp();
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, block_scans::raking<block_scans::Matrix<matrix::BF16>>(x, slots, own, adding));
    result[block_scans::thread_again()] = x;
}

__global__ void LAUNCH_BOUNDS x_spread_tf32(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK];
    float* const own = block_scans::own_slot(slots);
    const int adding = block_scans::adding_warp();
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) x = advance(x, block_scans::raking<block_scans::Matrix<matrix::TF32>>(x, slots, own, adding));
    result[block_scans::thread_again()] = x;
}

__global__ void LAUNCH_BOUNDS x_spread_arrive(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK];
    float* const own = block_scans::own_slot(slots);
    const int adding = block_scans::adding_warp();
    float x = values[thread()];
    REPEAT(iterations) x = advance(x, block_scans::raking_arrive<block_scans::Shuffles>(x, slots, own, adding));
    result[block_scans::thread_again()] = x;
}

__global__ void LAUNCH_BOUNDS x_spread_arrive_bf16(const float* values, float* result, int iterations) {
    __shared__ __align__(16) float slots[BLOCK];
    float* const own = block_scans::own_slot(slots);
    const int adding = block_scans::adding_warp();
    float x = matrix::quiet(values[thread()]);
    REPEAT(iterations) {
        x = advance(x, block_scans::raking_arrive<block_scans::Matrix<matrix::BF16>>(x, slots, own, adding));
    }
    result[block_scans::thread_again()] = x;
}

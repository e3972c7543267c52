// challenge private-array --dtype f32 --option length=32 --option index=worst --option math=0 --launch '32*sms x 64' --shared x_turns=64*threads --shared x_turns_plain=64*threads --shared x_turns_mixed=64*threads
// 32 blocks of 64 threads and 8 KiB do not fit an SM: 25 do, and the other 7 run when these have ended, as long as one warp alone
// needs for its loads. So 50 warps take 50 clocks per iteration, and the last 14 take 31 more.
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

template <typename T>
__device__ const T* initial(const T* arrays) { return arrays + (thread() - lane()) * LENGTH + lane(); }

// An array of LENGTH elements per lane in shared memory, as in `smem-dp4a`.
struct Array {
    unsigned mine;

    __device__ Array(const float* source, float* of_warp) : mine(shared_address(of_warp + lane())) {
        float* const own = of_warp + lane();
#pragma unroll
        for (int i = 0; i < LENGTH; ++i) own[i * WARP] = source[i * WARP];
    }
    // A dot product of bytes: the lowest byte of `word` times the distance of elements, plus the place of the first.
    __device__ float operator[](unsigned word) const {
        return *static_cast<const float*>(__cvta_shared_to_generic(__dp4a(word, 128u, mine)));
    }
};

// Half of the warps of a block at a time: the other half takes their space in shared memory after them. All blocks of
// the launch fit the SMs, and all the time half of all warps run, which is enough to use shared memory fully.
template <typename T>
__device__ void run(const T* arrays, const int* start, T* result, int iterations, int order) {
    const int at_a_time = (blockDim.x / WARP + 1) / 2;
    float* const of_warp = shared<T>() + order % at_a_time * (LENGTH * WARP);
    if (order >= at_a_time) __syncthreads();  // the first half has read its arrays
    const Array a(initial(arrays), of_warp);
    T x = 0;
    unsigned word = start[thread()];
    REPEAT(iterations) {
        const T element = a[word];
        x += element;
        word = __float_as_uint(element);
    }
    result[thread()] = x;
    if (order < at_a_time) __syncthreads();
}

// Lower warps first.
template <typename T>
__global__ void LAUNCH_BOUNDS x_turns_plain(const T* arrays, const int* start, T* result, float, int iterations) {
    run(arrays, start, result, iterations, threadIdx.x / WARP);
}

// In every other sixteenth of the grid, higher warps first: the warps of two blocks share the four schedulers of an SM, and
// the first warp of each block may be that of the same two.
template <typename T>
__global__ void LAUNCH_BOUNDS x_turns(const T* arrays, const int* start, T* result, float, int iterations) {
    const int warps = blockDim.x / WARP, warp = threadIdx.x / WARP;
    const bool reversed = blockIdx.x * 16 / gridDim.x % 2;
    run(arrays, start, result, iterations, reversed ? warps - 1 - warp : warp);
}

// The same in every other block and every other sixteenth.
template <typename T>
__global__ void LAUNCH_BOUNDS x_turns_mixed(const T* arrays, const int* start, T* result, float, int iterations) {
    const int warps = blockDim.x / WARP, warp = threadIdx.x / WARP;
    const bool reversed = (blockIdx.x + blockIdx.x * 16 / gridDim.x) % 2;
    run(arrays, start, result, iterations, reversed ? warps - 1 - warp : warp);
}

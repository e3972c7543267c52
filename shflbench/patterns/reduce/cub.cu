// The sum by CUB. The first lane of the group gets it; one more shuffle gives it to all lanes.
#include <cub/warp/warp_reduce.cuh>

#include "recurrence.cuh"
#include "shflbench.cuh"

struct Add {
    template <typename T>
    __device__ T operator()(T a, T b) const { return add(a, b); }
};

// Sum() for the types that have a `+`, for which CUB uses special instructions; Reduce() for vectors.
template <typename Reduce, typename T>
__device__ T sum_of(Reduce reduce, T x) { return reduce.Sum(x); }
template <typename Reduce>
__device__ float2 sum_of(Reduce reduce, float2 x) { return reduce.Reduce(x, Add()); }
template <typename Reduce>
__device__ float4 sum_of(Reduce reduce, float4 x) { return reduce.Reduce(x, Add()); }

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_cub(const T* values, T* result, int iterations) {
    using Reduce = cub::WarpReduce<T, WIDTH>;
    __shared__ typename Reduce::TempStorage storage[WARP * (WARP / WIDTH)];  // one per group of the block
    const int first_lane = lane() / WIDTH * WIDTH;
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = sum_of(Reduce(storage[threadIdx.x / WIDTH]), x);
        x = advance(x, shfl(sum, first_lane));
    }
    result[thread()] = x;
}

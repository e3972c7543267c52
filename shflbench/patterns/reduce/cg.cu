// The sum by cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "recurrence.cuh"
#include "shflbench.cuh"

namespace cg = cooperative_groups;

// `plus` for the types that have a `+`: cooperative groups use special instructions for it.
template <typename Group, typename T>
__device__ T sum_of(const Group& group, T x) { return cg::reduce(group, x, cg::plus<T>()); }
template <typename Group>
__device__ float2 sum_of(const Group& group, float2 x) {
    return cg::reduce(group, x, [](float2 a, float2 b) { return add(a, b); });
}
template <typename Group>
__device__ float4 sum_of(const Group& group, float4 x) {
    return cg::reduce(group, x, [](float4 a, float4 b) { return add(a, b); });
}

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_cg(const T* values, T* result, int iterations) {
    const auto group = cg::tiled_partition<WIDTH>(cg::this_thread_block());
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, sum_of(group, x));
    result[thread()] = x;
}

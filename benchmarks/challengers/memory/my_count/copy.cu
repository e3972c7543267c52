//: global shared match cg dtype=i32 counters=1,32,1024
//: global-plain ballot redux ballot-block redux-block redux-block-wide shfl dtype=i32 counters=1

//! cg
#include <cooperative_groups.h>

//! global
// Adds 1 to a counter in global memory.
__device__ __forceinline__ void count({T}* counters, int counter) { atomicAdd(&counters[counter], 1); }

//! global-plain
// Adds 1 to the counter, which is the same for all threads: the compiler merges the additions of a warp into one.
__device__ __forceinline__ void count({T}* counter) { atomicAdd(counter, 1); }

//! shared
// Counters of a block, in shared memory. All threads of the block call the functions in this order: clear_counters,
// then `count` any number of times (also in some threads only), then add_counters. Blocks must be one-dimensional.
__device__ inline void clear_counters({T}* of_block, int counters) {
    assert(blockDim.y * blockDim.z == 1);
    for (int i = threadIdx.x; i < counters; i += blockDim.x) of_block[i] = 0;
    __syncthreads();  // all counters are zero
}

__device__ __forceinline__ void count({T}* of_block, int counter) { atomicAdd(&of_block[counter], 1); }

// Adds the counters of the block to those in global memory.
__device__ inline void add_counters({T}* in_global_memory, const {T}* of_block, int counters) {
    assert(blockDim.y * blockDim.z == 1);
    __syncthreads();  // all threads have counted
    for (int i = threadIdx.x; i < counters; i += blockDim.x) atomicAdd(&in_global_memory[i], of_block[i]);
}

//! ballot ballot-block
// Returns the number of lanes whose predicate is true, in all lanes. All 32 lanes of the warp must call it.
__device__ inline {T} warp_count(bool predicate) { return __popc(__ballot_sync(0xffffffffu, predicate)); }

//! ballot
// Adds the count of a warp, which is the same in all lanes, to the counter. Blocks must be one-dimensional.
__device__ inline void add_warp_count({T}* counter, {T} of_warp) {
    assert(blockDim.y * blockDim.z == 1);
    if (threadIdx.x % 32 == 0) atomicAdd(counter, of_warp);
}

//! redux
// Adds the counts of the warp's lanes to the counter. All 32 lanes of the warp must call it. Blocks must be
// one-dimensional. From sm_80 on.
__device__ inline void add_lane_counts({T}* counter, {T} of_lane) {
    assert(blockDim.y * blockDim.z == 1);
    const {T} of_warp = __reduce_add_sync(0xffffffffu, of_lane);
    if (threadIdx.x % 32 == 0) atomicAdd(counter, of_warp);
}

//! ballot-block
// Adds the counts of a block's warps, each the same in all lanes of the warp, to the counter.
//! redux-block redux-block-wide
// Adds the counts of a block's threads to the counter. From sm_80 on.
//! ballot-block redux-block redux-block-wide
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps. `of_warps` is
// shared memory, one element per warp: call __syncthreads() before you use it again.
__device__ inline void add_warp_count({T}* counter, {T} of_warp, {T}* of_warps) {  //! ballot-block
__device__ inline void add_lane_counts({T}* counter, {T} of_lane, {T}* of_warps) {  //! redux-block redux-block-wide
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const {T} of_warp = __reduce_add_sync(0xffffffffu, of_lane);                    //! redux-block redux-block-wide
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    if (lane == 0) of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();  // all warps have written
    if (threadIdx.x >= 32) return;
    {T} of_block = lane < warps ? of_warps[lane] : 0;
//! ballot-block redux-block
    for (int step = 16; step > 0; step /= 2) of_block += __shfl_xor_sync(0xffffffffu, of_block, step);
//! redux-block-wide
    of_block = __reduce_add_sync(0xffffffffu, of_block);
//! ballot-block redux-block redux-block-wide
    if (lane == 0) atomicAdd(counter, of_block);
}

//! redux-block-wide
// Adds the number of elements that are not negative to the counter: each thread has 16, in vectors, which it loads
// coalesced. A funnel shift per element collects the sign bits, in two chains.
__device__ inline void add_counts({T}* counter, const int4 (&x)[4], {T}* of_warps) {
    unsigned even = 0, odd = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        even = __funnelshift_l(x[i].x, even, 1);
        odd = __funnelshift_l(x[i].y, odd, 1);
        even = __funnelshift_l(x[i].z, even, 1);
        odd = __funnelshift_l(x[i].w, odd, 1);
    }
    add_lane_counts(counter, 16 - __popc(even << 8 | odd), of_warps);
}

//! shfl
// Adds the counts of the warp's lanes to the counter. All 32 lanes of the warp must call it. Blocks must be
// one-dimensional.
__device__ inline void add_lane_counts({T}* counter, {T} of_lane) {
    assert(blockDim.y * blockDim.z == 1);
    for (int distance = 16; distance > 0; distance /= 2) of_lane += __shfl_xor_sync(0xffffffffu, of_lane, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(counter, of_lane);
}

//! match
// Adds 1 to a counter in global memory for each lane, by one atomic addition per counter. Lanes with counter -1 do
// not count. All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ __forceinline__ void count({T}* counters, int counter) {
    assert(blockDim.y * blockDim.z == 1);
    const unsigned same = __match_any_sync(0xffffffffu, counter);  // the lanes with the same counter
    const unsigned lower = (1u << threadIdx.x % 32) - 1;           // the lanes below this one
    if (counter != -1 && (same & lower) == 0) atomicAdd(&counters[counter], __popc(same));
}

//! cg
// Adds 1 to a counter in global memory for each lane, by one atomic addition per counter. Lanes with counter -1 do
// not count. All 32 lanes of the warp must call it. Blocks must consist of whole warps.
__device__ inline void count({T}* counters, int counter) {
    assert(blockDim.x * blockDim.y * blockDim.z % 32 == 0);
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto same = cg::binary_partition(warp, counter != -1);  // there is one counter  //! counters=1
    const auto same = cg::labeled_partition(warp, counter);  // the lanes with the same counter  //! counters!=1
    if (counter != -1 && same.thread_rank() == 0) atomicAdd(&counters[counter], same.num_threads());
}

//: smem smem-double smem-syncwarp shfl dtype=f16,bf16,f32,f64,i32,i64,f32x2,f32x4 width=32,16,8,4,2
//: redux dtype=i32 width=32
//: redux-mask redux-padded dtype=i32 width=16,8,4,2
//: cub cg dtype=f16,bf16,f32,f64,i32,i64,f32x2,f32x4 width=32
//: cub-group cg-group dtype=f32,i32 width=16,8,4,2

//! cub cub-group
#include <cub/warp/warp_reduce.cuh>

//! cg cg-group
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

//! *
// Returns the sum of the warp's 32 values to all lanes.  //! width=32
// Returns the sum of each group of {width} adjacent lanes to all lanes of the group.  //! width!=32
// Integers wrap around on overflow.  //! dtype=i32,i64
//! shfl
// All 32 lanes of the warp must call it.
__device__ inline {T} warp_sum({T} x) {
    {U} sum = x;
    for (int distance = {width} / 2; distance > 0; distance /= 2) {
        sum = __hadd(sum, __shfl_xor_sync(0xffffffffu, sum, distance));  //! dtype=f16,bf16
        sum{.} += __shfl_xor_sync(0xffffffffu, sum{.}, distance);  //! dtype!=f16,bf16
    }
    return sum;
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
__device__ inline {T} warp_sum({T} x, {T}* slots) {
    {U} sum = x;
    for (int distance = {width} / 2; distance > 0; distance /= 2) {
        slots[threadIdx.x] = sum;
        __syncwarp();  // all lanes have written
        const {T} other = slots[threadIdx.x ^ distance];
        sum = __hadd(sum, other);  //! dtype=f16,bf16
        sum{.} += other{.};  //! dtype!=f16,bf16
        __syncwarp();  // all lanes have read: the slots may be written again
    }
    return sum;
}

//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
__device__ inline {T} warp_sum({T} x, {T}* slots) {
    {U} sum = x;
    for (int distance = {width} / 2; distance > 0; distance /= 2) {
        slots[threadIdx.x] = sum;
        __syncthreads();  // all threads have written
        const {T} other = slots[threadIdx.x ^ distance];
        sum = __hadd(sum, other);  //! dtype=f16,bf16
        sum{.} += other{.};  //! dtype!=f16,bf16
        __syncthreads();  // all threads have read: the slots may be written again
    }
    return sum;
}

//! smem-double
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with one element per thread of the block. The function
// swaps the pointers: pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
__device__ inline {T} warp_sum({T} x, {T}*& now, {T}*& next) {
    {U} sum = x;
    for (int distance = {width} / 2; distance > 0; distance /= 2) {
        now[threadIdx.x] = sum;
        __syncthreads();  // all threads have written `now`, and none still reads `next`
        const {T} other = now[threadIdx.x ^ distance];
        sum = __hadd(sum, other);  //! dtype=f16,bf16
        sum{.} += other{.};  //! dtype!=f16,bf16
        {T}* const written = now;
        now = next;
        next = written;
    }
    return sum;
}

//! redux
// All 32 lanes of the warp must call it. From sm_80 on.
__device__ inline {T} warp_sum({T} x) { return __reduce_add_sync(0xffffffffu, x); }

//! redux-mask
// All 32 lanes of the warp must call it. From sm_80 on.
__device__ inline {T} warp_sum({T} x) {
    const unsigned mask = 0xffffffffu >> (32 - {width}) << threadIdx.x % 32 / {width} * {width};
    return __reduce_add_sync(mask, x);
}

//! redux-padded
// All 32 lanes of the warp must call it. From sm_80 on.
__device__ inline {T} warp_sum({T} x) {
    {T} sum = 0;
#pragma unroll
    for (int group = 0; group < 32 / {width}; ++group) {
        const bool is_own = threadIdx.x % 32 / {width} == group;
        const {T} of_group = __reduce_add_sync(0xffffffffu, is_own ? x : 0);
        sum = is_own ? of_group : sum;
    }
    return sum;
}

//! cg cg-group
// All 32 lanes of the warp must call it. Blocks must consist of whole warps.
__device__ inline {T} warp_sum({T} x) {
    namespace cg = cooperative_groups;
    const auto group = cg::tiled_partition<{width}>(cg::this_thread_block());
    return cg::reduce(group, x, cg::plus<{T}>());  //! dtype!=f32x2,f32x4
    return cg::reduce(group, x, [](float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); });  //! dtype=f32x2
    return cg::reduce(group, x, [](float4 a, float4 b) {                      //! dtype=f32x4
        return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);       //! dtype=f32x4
    });                                                                       //! dtype=f32x4
}

//! cub cub-group
// All 32 lanes of the warp must call it.
// `storage` is shared memory that only this warp uses: one WarpReduce::TempStorage per warp of the block.  //! width=32
// `storage` is shared memory that only this group uses: one WarpReduce::TempStorage per group of the block.  //! width!=32
using WarpReduce = cub::WarpReduce<{T}, {width}>;

__device__ inline {T} warp_sum({T} x, WarpReduce::TempStorage& storage) {
    {T} sum = WarpReduce(storage).Sum(x);  // only the first lane has it  //! dtype!=f32x2,f32x4
    const auto add = [](float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); };  //! dtype=f32x2
    const auto add = [](float4 a, float4 b) {                            //! dtype=f32x4
        return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);  //! dtype=f32x4
    };                                                                   //! dtype=f32x4
    {T} sum = WarpReduce(storage).Reduce(x, add);  // only the first lane has it  //! dtype=f32x2,f32x4
    __syncwarp();  // before `storage` is used again
    sum{.} = __shfl_sync(0xffffffffu, sum{.}, 0);  //! width=32
    sum{.} = __shfl_sync(0xffffffffu, sum{.}, 0, {width});  //! width!=32
    return sum;
}

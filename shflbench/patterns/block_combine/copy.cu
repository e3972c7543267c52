//: cub shuffles adds wide-adds dtype=f32,f64,i32
//: redux dtype=i32

//! cub
#include <cub/block/block_reduce.cuh>

//! *
// Returns the sum of the block's BLOCK values to all threads.
// Integers wrap around on overflow.  //! dtype=i32
// All threads of the block must call it. Blocks must be one-dimensional; BLOCK is a power of two from 64 to 1024.
//! redux
// From sm_80 on.
//! shuffles adds wide-adds redux
// `now` and `next` point to two arrays in shared memory, each with BLOCK / 32 elements. The function swaps the
// pointers: pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
//! wide-adds
// Both arrays must be aligned to 16 bytes, or to their size if they are smaller.
//! shuffles adds wide-adds redux
template <int BLOCK>
__device__ {T} block_sum({T} x, {T}*& now, {T}*& next) {
    constexpr int WARPS = BLOCK / 32;
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int distance = 1; distance < 32; distance *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0) now[threadIdx.x / 32] = sum;
    __syncthreads();  // all warps have written `now`, and none still reads `next`
//! shuffles
    sum = now[lane % WARPS];
    for (int distance = 1; distance < WARPS; distance *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
//! adds
    sum = *static_cast<volatile {T}*>(now);  // volatile: loads are not merged
#pragma unroll
    for (int i = 1; i < WARPS; ++i) sum += *static_cast<volatile {T}*>(now + i);
//! wide-adds
    constexpr int PER_LOAD = 16 / sizeof({T}) < WARPS ? 16 / sizeof({T}) : WARPS;
    struct alignas(PER_LOAD * sizeof({T})) Wide {
        {T} sum[PER_LOAD];
    };
    sum = 0;
#pragma unroll
    for (int i = 0; i < WARPS / PER_LOAD; ++i) {
        const Wide wide = reinterpret_cast<const Wide*>(now)[i];
#pragma unroll
        for (int j = 0; j < PER_LOAD; ++j) sum += wide.sum[j];
    }
//! redux
    sum = __reduce_add_sync(0xffffffffu, lane < WARPS ? now[lane] : 0);
//! shuffles adds wide-adds redux
    {T}* const written = now;
    now = next;
    next = written;
    return sum;
}

//! cub
// `storage` and `all` are shared memory.
template <int BLOCK>
using BlockReduce = cub::BlockReduce<{T}, BLOCK>;

template <int BLOCK>
__device__ {T} block_sum({T} x, typename BlockReduce<BLOCK>::TempStorage& storage, {T}& all) {
    const {T} sum = BlockReduce<BLOCK>(storage).Sum(x);
    if (threadIdx.x == 0) all = sum;
    __syncthreads();
    const {T} result = all;
    __syncthreads();  // all threads have read: `all` may be written again
    return result;
}

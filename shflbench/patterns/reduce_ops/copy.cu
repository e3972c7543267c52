//: smem smem-syncwarp shfl redux cub cg dtype=i32 op=add,min,max,and,or,xor

//! cub
#include <cub/warp/warp_reduce.cuh>
#include <cuda/functional>  //! op=min,max
#include <cuda/std/functional>  //! op=add,and,or,xor

//! cg
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

//! *
// Returns the sum of the warp's 32 values to all lanes. It wraps around on overflow.  //! op=add
// Returns the minimum of the warp's 32 values to all lanes.  //! op=min
// Returns the maximum of the warp's 32 values to all lanes.  //! op=max
// Returns the bitwise and of the warp's 32 values to all lanes.  //! op=and
// Returns the bitwise or of the warp's 32 values to all lanes.  //! op=or
// Returns the bitwise xor of the warp's 32 values to all lanes.  //! op=xor
//! redux
// All 32 lanes of the warp must call it. From sm_80 on.
__device__ inline {T} warp_{op}({T} x) { return __reduce_{op}_sync(0xffffffffu, x); }  //! op=add,min,max
//! redux op=and,or,xor
__device__ inline {T} warp_{op}({T} x) { return __reduce_{op}_sync(0xffffffffu, static_cast<{U}>(x)); }

//! shfl
// All 32 lanes of the warp must call it.
__device__ inline {T} warp_{op}({T} x) {
    {U} result = x;  //! op=add
    {T} result = x;  //! op!=add
    for (int distance = 16; distance > 0; distance /= 2) {
        result += __shfl_xor_sync(0xffffffffu, result, distance);  //! op=add
        result = {op}(result, __shfl_xor_sync(0xffffffffu, result, distance));  //! op=min,max
        result &= __shfl_xor_sync(0xffffffffu, result, distance);  //! op=and
        result |= __shfl_xor_sync(0xffffffffu, result, distance);  //! op=or
        result ^= __shfl_xor_sync(0xffffffffu, result, distance);  //! op=xor
    }
    return result;
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
//! smem smem-syncwarp
__device__ inline {T} warp_{op}({T} x, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    {U} result = x;  //! op=add
    {T} result = x;  //! op!=add
    for (int distance = 16; distance > 0; distance /= 2) {
        slots[threadIdx.x] = result;
        __syncwarp();  // all lanes have written  //! smem-syncwarp
        __syncthreads();  // all threads have written  //! smem
        result += slots[threadIdx.x ^ distance];  //! op=add
        result = {op}(result, slots[threadIdx.x ^ distance]);  //! op=min,max
        result &= slots[threadIdx.x ^ distance];  //! op=and
        result |= slots[threadIdx.x ^ distance];  //! op=or
        result ^= slots[threadIdx.x ^ distance];  //! op=xor
        __syncwarp();  // all lanes have read: the slots may be written again  //! smem-syncwarp
        __syncthreads();  // all threads have read: the slots may be written again  //! smem
    }
    return result;
}

//! cub
// All 32 lanes of the warp must call it.
// `storage` is shared memory that only this warp uses: one WarpReduce::TempStorage per warp of the block.
using WarpReduce = ::cub::WarpReduce<{T}>;

__device__ inline {T} warp_{op}({T} x, WarpReduce::TempStorage& storage) {
    const {T} result = WarpReduce(storage).Reduce(x, cuda::std::plus<>());  // only the first lane has it  //! op=add
    const {T} result = WarpReduce(storage).Reduce(x, cuda::minimum<>());  // only the first lane has it  //! op=min
    const {T} result = WarpReduce(storage).Reduce(x, cuda::maximum<>());  // only the first lane has it  //! op=max
    const {T} result = WarpReduce(storage).Reduce(x, cuda::std::bit_{op}<>());  // only the first lane has it  //! op=and,or,xor
    __syncwarp();  // before `storage` is used again
    return __shfl_sync(0xffffffffu, result, 0);
}

//! cg
// All 32 lanes of the warp must call it. Blocks must consist of whole warps.
__device__ inline {T} warp_{op}({T} x) {
    assert(blockDim.x * blockDim.y * blockDim.z % 32 == 0);
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    return cg::reduce(warp, x, cg::plus<{T}>());  //! op=add
    return cg::reduce(warp, x, cg::less<{T}>());  //! op=min
    return cg::reduce(warp, x, cg::greater<{T}>());  //! op=max
    return cg::reduce(warp, x, cg::bit_{op}<{T}>());  //! op=and,or,xor
}

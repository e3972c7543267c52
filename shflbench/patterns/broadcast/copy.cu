//: smem smem-syncwarp shfl cg dtype=f32,f64,i32,i64 values=1,4
//: smem-wide dtype=f32,i32 values=4

//! cg
#include <cooperative_groups.h>

//! *
// Returns the value of lane `source`, which must be the same in all lanes, to all lanes.  //! values=1
// Replaces the values of all lanes by those of lane `source`, which must be the same in all lanes.  //! values=4
//! shfl
// All 32 lanes of the warp must call it. A shuffle takes `source` modulo 32.
__device__ inline {T} broadcast({T} x, int source) { return __shfl_sync(0xffffffffu, x, source); }  //! values=1
//! shfl values=4
__device__ inline void broadcast({T} (&x)[4], int source) {
    #pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = __shfl_sync(0xffffffffu, x[k], source);
}

//! smem-syncwarp values=1
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is shared memory, one element per warp of the block.
__device__ inline {T} broadcast({T} x, int source, {T}* slots) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {T}& slot = slots[threadIdx.x / 32];
    if (lane == source) slot = x;
    __syncwarp();  // the source has written
    x = slot;
    __syncwarp();  // all lanes have read: the slot may be written again
    return x;
}

//! smem-syncwarp values=4
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, four elements per warp of the block.
__device__ inline void broadcast({T} (&x)[4], int source, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (lane == source) {
        #pragma unroll
        for (int k = 0; k < 4; ++k) slots[k * warps + warp] = x[k];
    }
    __syncwarp();  // the source has written
    #pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = slots[k * warps + warp];
    __syncwarp();  // all lanes have read: the slots may be written again
}

//! smem values=1
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per warp of the block.
__device__ inline {T} broadcast({T} x, int source, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {T}& slot = slots[threadIdx.x / 32];
    if (lane == source) slot = x;
    __syncthreads();  // the source has written
    x = slot;
    __syncthreads();  // all threads have read: the slot may be written again
    return x;
}

//! smem values=4
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, four elements per warp of the block.
__device__ inline void broadcast({T} (&x)[4], int source, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (lane == source) {
        #pragma unroll
        for (int k = 0; k < 4; ++k) slots[k * warps + warp] = x[k];
    }
    __syncthreads();  // the source has written
    #pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = slots[k * warps + warp];
    __syncthreads();  // all threads have read: the slots may be written again
}

//! smem-wide
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is shared memory, four elements per warp of the block, aligned to 16 bytes, which a lane reads in one access.
__device__ inline void broadcast({T} (&x)[4], int source, {T}* slots) {
    assert(blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    const int lane = threadIdx.x % 32;
    {T}4& slot = reinterpret_cast<{T}4*>(slots)[threadIdx.x / 32];
    if (lane == source) slot = make_{T}4(x[0], x[1], x[2], x[3]);
    __syncwarp();  // the source has written
    const {T}4 received = slot;
    __syncwarp();  // all lanes have read: the slot may be written again
    x[0] = received.x;
    x[1] = received.y;
    x[2] = received.z;
    x[3] = received.w;
}

//! cg
// All 32 lanes of the warp must call it. Blocks must consist of whole warps.
//! cg values=1
__device__ inline {T} broadcast({T} x, int source) {
    assert(blockDim.x * blockDim.y * blockDim.z % 32 == 0);
    namespace cg = cooperative_groups;
    return cg::tiled_partition<32>(cg::this_thread_block()).shfl(x, source);
}

//! cg values=4
__device__ inline void broadcast({T} (&x)[4], int source) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    #pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = warp.shfl(x[k], source);
}

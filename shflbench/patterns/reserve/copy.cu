//: atomic atomic-plain leader-shfl elect leader-smem leader-block leader-larger-block leader-block-once cg dtype=i32

//! cg
#include <cooperative_groups.h>

//! atomic
// Returns a free slot of a queue, and increments next[queue]. The lanes of a warp may use different queues: the
// compiler does not merge their atomic additions.
__device__ inline {T} reserve_slot({T}* next, int queue) { return atomicAdd(&next[queue], 1); }

//! atomic-plain
// Returns a free slot of a queue, and increments *next. If all lanes of a warp use one queue, the compiler merges their
// atomic additions.
__device__ inline {T} reserve_slot({T}* next) { return atomicAdd(next, 1); }

//! leader-shfl elect leader-smem cg
// Returns a free slot of a queue: one atomic addition reserves 32 adjacent slots for the warp, from *next on.
//! leader-shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} reserve_slot({T}* next) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {T} first = 0;
    if (lane == 0) first = atomicAdd(next, 32);
    return __shfl_sync(0xffffffffu, first, 0) + lane;
}

//! elect
// All 32 lanes of the warp must call it. Blocks must be one-dimensional. From sm_90 on.
__device__ inline {T} reserve_slot({T}* next) {
    assert(blockDim.y * blockDim.z == 1);
    {T} first = 0;
    int leader, is_leader;
    asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.b32 %1, 1, 0, p;}"
                 : "=r"(leader), "=r"(is_leader) : "r"(0xffffffffu));
    if (is_leader) first = atomicAdd(next, 32);
    return __shfl_sync(0xffffffffu, first, leader) + threadIdx.x % 32;
}

//! leader-smem
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is shared memory, one element per warp of the block: call __syncwarp() before you use it again.
__device__ inline {T} reserve_slot({T}* next, {T}* slots) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {T}& first = slots[threadIdx.x / 32];
    if (lane == 0) first = atomicAdd(next, 32);
    __syncwarp();  // lane 0 has written
    return first + lane;
}

//! leader-block
// Returns a free slot of a queue: one atomic addition reserves adjacent slots for the block, from *next on.
// All threads of the block must call it: call __syncthreads() before you call it again. Blocks must be one-dimensional.
__device__ inline {T} reserve_slot({T}* next) {
    assert(blockDim.y * blockDim.z == 1);
    __shared__ {T} first;
    if (threadIdx.x == 0) first = atomicAdd(next, blockDim.x);
    __syncthreads();  // thread 0 has written
    return first + threadIdx.x;
}

//! leader-larger-block leader-block-once
// Reserves `count` adjacent slots of a queue for the block, from *next on, and returns the first: one atomic addition.
// All threads of the block must call it, with the same count: call __syncthreads() before you call it again. Blocks
// must be one-dimensional.
__device__ inline {T} reserve_slots({T}* next, int count) {
    assert(blockDim.y * blockDim.z == 1);
    __shared__ {T} first;
    if (threadIdx.x == 0) {
        // As PTX: in front of an atomicAdd() the compiler would vote which lanes take part, although it is one.
        {T} old;
        asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], %2;"
                     : "=r"(old) : "l"(__cvta_generic_to_global(next)), "r"(count) : "memory");
        first = old;
    }
    __syncthreads();  // thread 0 has written
    return first;
}

//! leader-larger-block
// Returns a free slot of a queue for each of the first `count` threads of the block. The other threads must call it,
// too, but have no slot.
__device__ inline {T} reserve_slot({T}* next, int count) { return reserve_slots(next, count) + threadIdx.x; }

//! cg
// All 32 lanes of the warp must call it. Blocks must consist of whole warps.
__device__ inline {T} reserve_slot({T}* next) {
    assert(blockDim.x * blockDim.y * blockDim.z % 32 == 0);
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    {T} first = 0;
    if (warp.thread_rank() == 0) first = atomicAdd(next, warp.num_threads());
    return warp.shfl(first, 0) + warp.thread_rank();
}

//: smem smem-double smem-syncwarp shfl dtype=f16,bf16,f32,f64,i32,i64,f32x2,f32x4 mode=idx,up,down,xor

//! smem smem-double smem-syncwarp
// The thread of the block whose value this thread receives.
__device__ inline unsigned source_thread() {
    const unsigned lane = threadIdx.x % 32;  //! mode!=xor
    return threadIdx.x - lane + (lane + 1) % 32;  //! mode=idx
    return lane > 0 ? threadIdx.x - 1 : threadIdx.x;  //! mode=up
    return lane < 31 ? threadIdx.x + 1 : threadIdx.x;  //! mode=down
    return threadIdx.x ^ 1;  //! mode=xor
}

//! *
// Returns the value of the next lane; the last lane gets that of the first.  //! mode=idx
// Returns the value of the next lower lane; the first lane keeps its own.  //! mode=up
// Returns the value of the next higher lane; the last lane keeps its own.  //! mode=down
// Returns the value of the other lane of a pair: lanes 0 and 1, 2 and 3, and so on.  //! mode=xor
//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.  //! mode=idx
// All 32 lanes of the warp must call it.  //! mode!=idx
__device__ inline {T} from_neighbor({T} x) {
    assert(blockDim.y * blockDim.z == 1);  //! mode=idx
    const int source = (threadIdx.x + 1) % 32;  //! mode=idx
    x{.} = __shfl_sync(0xffffffffu, x{.}, source);  //! mode=idx
    x{.} = __shfl_up_sync(0xffffffffu, x{.}, 1);  //! mode=up
    x{.} = __shfl_down_sync(0xffffffffu, x{.}, 1);  //! mode=down
    x{.} = __shfl_xor_sync(0xffffffffu, x{.}, 1);  //! mode=xor
    return x;
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
__device__ inline {T} from_neighbor({T} x, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    x = slots[source_thread()];
    __syncwarp();  // all lanes have read: the slots may be written again
    return x;
}

//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
__device__ inline {T} from_neighbor({T} x, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    slots[threadIdx.x] = x;
    __syncthreads();  // all threads have written
    x = slots[source_thread()];
    __syncthreads();  // all threads have read: the slots may be written again
    return x;
}

//! smem-double
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with one element per thread of the block. The function
// swaps the pointers: pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
__device__ inline {T} from_neighbor({T} x, {T}*& now, {T}*& next) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    now[threadIdx.x] = x;
    __syncthreads();  // all threads have written `now`, and none still reads `next`
    x = now[source_thread()];
    {T}* const written = now;
    now = next;
    next = written;
    return x;
}

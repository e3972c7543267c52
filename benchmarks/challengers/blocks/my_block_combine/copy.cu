//: cub shuffles adds wide-adds smem8-wide-adds raking-columns raking-quarters dtype=f32,f64,i32
//: redux dtype=i32

//! cub
#include <cub/block/block_reduce.cuh>

//! smem8-wide-adds raking-columns raking-quarters
// Returns the sum of COUNT values; COUNT is a power of two.
template <int COUNT>
__device__ inline {T} tree_sum(const {T}* values) {
    if constexpr (COUNT == 1) {
        return values[0];
    } else {
        const {U} lower = tree_sum<COUNT / 2>(values), upper = tree_sum<COUNT / 2>(values + COUNT / 2);
        return lower + upper;
    }
}

//! smem8-wide-adds raking-quarters
// Returns the sum of COUNT values, which are aligned to 16 bytes, or to their size if they are smaller.
template <int COUNT>
__device__ inline {T} load_sum(const {T}* values) {
    struct alignas(COUNT * sizeof({T}) < 16 ? COUNT * sizeof({T}) : 16) Row {
        {T} values[COUNT];
    };
    const Row row = *reinterpret_cast<const Row*>(values);
    return tree_sum<COUNT>(row.values);
}

// Returns the sum of the warp's 32 values in `slots`, which are aligned to 16 bytes, to all lanes: within groups of 8
// lanes by loads, between groups by shuffles that do not wait for one another.
__device__ inline {T} groups_sum(const {T}* slots) {
    const {U} of_group = load_sum<8>(slots + threadIdx.x % 32 / 8 * 8);
    const {U} first = __shfl_xor_sync(0xffffffffu, of_group, 8);
    const {U} second = __shfl_xor_sync(0xffffffffu, of_group, 16);
    const {U} third = __shfl_xor_sync(0xffffffffu, of_group, 24);
    return of_group + first + (second + third);
}

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
__device__ inline {T} block_sum({T} x, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
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
    assert(reinterpret_cast<size_t>(now) % sizeof(Wide) == 0);
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

//! smem8-wide-adds
// `slots` is shared memory, BLOCK elements. `now` and `next` point to two arrays in shared memory, each with BLOCK / 32
// elements. All three are aligned to 16 bytes. The function swaps the pointers: pass the same two to every call. Call
// __syncthreads() before you use the arrays otherwise.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    assert(reinterpret_cast<size_t>(now) % 16 == 0);
    assert(reinterpret_cast<size_t>(next) % 16 == 0);
    constexpr int WARPS = BLOCK / 32, PART = WARPS < 8 ? WARPS : 8, PARTS = WARPS / PART;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    {U} sum = groups_sum(slots + warp * 32);
    if (lane == 0) now[warp] = sum;
    __syncthreads();  // all warps have written `now`, and none still reads `next`
    sum = load_sum<PART>(now + lane % PARTS * PART);
    for (int distance = 1; distance < PARTS; distance *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    {T}* const written = now;
    now = next;
    next = written;
    return sum;
}

//! raking-columns
// `slots` is shared memory, BLOCK elements; `all` is one.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots, {T}& all) {
//! raking-quarters
// `slots` and `parts` are shared memory, BLOCK and 4 elements, aligned to 16 bytes.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots, {T}* parts) {
//! raking-columns raking-quarters
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
//! raking-quarters
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    assert(reinterpret_cast<size_t>(parts) % 16 == 0);
//! raking-columns raking-quarters
    // Threads that add up a column each.
    constexpr int ADDERS = 32;  //! raking-columns
    constexpr int WARPS = BLOCK < 128 ? BLOCK / 32 : 4, ADDERS = WARPS * 32;  //! raking-quarters
    const int mine = threadIdx.x;
    if (BLOCK > ADDERS && mine >= ADDERS) slots[mine] = x;
    __syncthreads();  // all values have been written
    if (mine < ADDERS) {
        {T} column[BLOCK / ADDERS] = {x};
#pragma unroll
        for (int i = 1; i < BLOCK / ADDERS; ++i) column[i] = slots[mine + i * ADDERS];
        {U} sum = tree_sum<BLOCK / ADDERS>(column);
//! raking-columns
        for (int distance = 1; distance < 32; distance *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
        if (mine == 0) all = sum;
//! raking-quarters
        slots[mine] = sum;
        __syncwarp();  // all lanes have written
        sum = groups_sum(slots + mine / 32 * 32);
        if (mine % 32 == 0) parts[mine / 32] = sum;
//! raking-columns raking-quarters
    }
    __syncthreads();  // the sum has been written, and the slots have been read
//! raking-columns
    return all;  // the next call writes it after its first barrier
}
//! raking-quarters
    return load_sum<WARPS>(parts);  // the next call writes them after its first barrier
}

//! cub
// `storage` and `all` are shared memory. Call __syncthreads() before you use them otherwise.
template <int BLOCK>
using BlockReduce = ::cub::BlockReduce<{T}, BLOCK>;

template <int BLOCK>
__device__ inline {T} block_sum({T} x, typename BlockReduce<BLOCK>::TempStorage& storage, {T}& all) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const {T} sum = BlockReduce<BLOCK>(storage).Sum(x);
    if (threadIdx.x == 0) all = sum;  // another call has read it: Sum() has a barrier between the warps
    __syncthreads();  // before `all` is read, and `storage` is used again
    return all;
}

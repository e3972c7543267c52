//: smem smem-syncwarp smem-warps smem-warps-shfl raking raking-columns shfl shfl-loads shfl-once shfl-loads-once smem8-shfl-once atomic cub cub-raking cg dtype=f32,f64,i32,i64 result=all,first
//: shfl-first-warp dtype=f32,f64,i32,i64 result=all
//: redux redux-loads-once atomic-columns-redux dtype=i32 result=all,first

//! cub cub-raking
#include <cub/block/block_reduce.cuh>

//! cg
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

//! raking raking-columns shfl shfl-first-warp shfl-loads shfl-once shfl-loads-once atomic
// Returns the sum of the warp's 32 values to all lanes.
__device__ inline {T} warp_sum({T} x) {
    {U} sum = x;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
}

//! smem8-shfl-once
// What one load of 16 bytes reads.
struct alignas(16) Chunk {
    static constexpr int COUNT = 16 / sizeof({T});
    {T} values[COUNT];
};

__device__ inline {T} sum_of(Chunk chunk) {
    const {U} sum = static_cast<{U}>(chunk.values[0]) + chunk.values[1];
    return sum;  //! dtype=f64,i64
    const {U} others = static_cast<{U}>(chunk.values[2]) + chunk.values[3];  //! dtype=f32,i32
    return sum + others;  //! dtype=f32,i32
}

// Returns the sum of the warp's 32 values in `slots`, which are aligned to 16 bytes, to all lanes: within groups of 8
// lanes by loads, between groups by shuffles that do not wait for one another.
__device__ inline {T} groups_sum(const {T}* slots) {
    constexpr int CHUNKS = 8 / Chunk::COUNT;
    const Chunk* chunks = reinterpret_cast<const Chunk*>(slots) + threadIdx.x % 32 / 8 * CHUNKS;
    {U} of_group = sum_of(chunks[0]);
    #pragma unroll
    for (int i = 1; i < CHUNKS; ++i) of_group += sum_of(chunks[i]);
    const {U} first = __shfl_xor_sync(0xffffffffu, of_group, 8);
    const {U} second = __shfl_xor_sync(0xffffffffu, of_group, 16);
    const {U} third = __shfl_xor_sync(0xffffffffu, of_group, 24);
    return of_group + first + (second + third);
}

//! shfl-loads-once smem8-shfl-once redux-loads-once
// Returns the sum of WARPS values in shared memory, which are aligned to 16 bytes, to all lanes. A lane loads up to
// eight of them; in larger blocks, shuffles add up what the lanes have loaded.
template <int WARPS>
__device__ {T} load_sums(const {T}* sums) {
    constexpr int PART = WARPS < 8 ? WARPS : 8, PARTS = WARPS / PART;
    const {T}* const part = sums + threadIdx.x % PARTS * PART;
    {U} even = part[0], odd = part[1];
    #pragma unroll
    for (int i = 2; i < PART; i += 2) {
        even += part[i];
        odd += part[i + 1];
    }
    {U} sum = even + odd;
    #pragma unroll
    for (int distance = PARTS / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
}

//! smem-warps-shfl shfl shfl-first-warp shfl-once
// Returns the sum of WARPS values in shared memory to all lanes. WARPS is a power of two, at most 32.
template <int WARPS>
__device__ {T} sum_of_sums(const {T}* sums) {
    {U} sum = sums[threadIdx.x % WARPS];
    for (int distance = WARPS / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
}

//! smem-warps smem-warps-shfl
// Returns the sum of the values of the warp's first COUNT lanes to lane 0. The values must also be in `slots`.
template <int COUNT>
__device__ inline {T} warp_tree({T} x, {T}* slots) {
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int half = COUNT / 2; half > 0; half /= 2) {
        if (lane < half) sum += slots[lane + half];
        if (half > 1) {
            if (lane / (half / 2) == 1) slots[lane] = sum;  // what the next step reads
            __syncwarp();
        }
    }
    return sum;
}

//! shfl shfl-once shfl-loads-once smem8-shfl-once cg result=first
// Whether the calling warp adds the sums of all warps. For sm_75, the compiler would not unroll a loop around shuffles
// in a branch: there, all warps do.
__device__ inline bool adds_sums() {
    #if __CUDA_ARCH__ < 800
    return true;
    #else
    return threadIdx.x / 32 == 0;
    #endif
}

//! atomic-columns-redux
// An array of 32 elements in shared memory, one per lane of all warps, and the sum of all that the calling thread last
// got.
struct Columns {
    {T} *sums, before;
};

// Returns to all lanes of the warp, which must call it, what the elements together have grown by since its last call.
__device__ inline {T} growth(Columns& columns) {
    const {U} sum = __reduce_add_sync(0xffffffffu, columns.sums[threadIdx.x % 32]);
    const {T} growth = sum - columns.before;
    columns.before = sum;
    return growth;
}

//! *
// Returns the sum of the block's BLOCK values to all threads.  //! result=all
// Returns the sum of the block's BLOCK values to thread 0; other threads get an undefined value.  //! result=first
// Integers wrap around on overflow.  //! dtype=i32,i64
// All threads of the block must call it. Blocks must be one-dimensional; BLOCK is a power of two from 64 to 1024.

//! smem
// `slots` is shared memory, BLOCK elements.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int mine = threadIdx.x;
    {U} sum = x;
    slots[mine] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (mine < half) slots[mine] = sum += slots[mine + half];
        __syncthreads();
    }
//! smem result=all
    sum = slots[0];
    __syncthreads();  // all threads have read: the slots may be written again
//! smem
    return sum;
}

//! smem-syncwarp
// `slots` is shared memory, BLOCK elements.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int mine = threadIdx.x;
    {U} sum = x;
    slots[mine] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half >= 32; half /= 2) {
        if (mine < half) slots[mine] = sum += slots[mine + half];
        __syncthreads();
    }
    if (mine < 32) {
        for (int half = 16; half > 0; half /= 2) {
            if (mine < half) slots[mine] = sum += slots[mine + half];
            __syncwarp();
        }
    }
//! smem-syncwarp result=all
    __syncthreads();
    sum = slots[0];
    __syncthreads();  // all threads have read: the slots may be written again
//! smem-syncwarp
    return sum;
}

//! smem-warps smem-warps-shfl
// `slots` is shared memory, BLOCK + BLOCK / 32 + 1 elements.  //! result=all
// `slots` is shared memory, BLOCK + BLOCK / 32 elements.  //! result=first
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    {T}* const sums = slots + BLOCK;
    {T}* const all = sums + BLOCK / 32;  //! result=all
    slots[threadIdx.x] = x;
    __syncwarp();
    {T} sum = warp_tree<32>(x, slots + warp * 32);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_tree<BLOCK / 32>(lane < BLOCK / 32 ? sums[lane] : 0, sums);  //! smem-warps
        sum = sum_of_sums<BLOCK / 32>(sums);                                    //! smem-warps-shfl
        if (lane == 0) *all = sum;  //! result=all
    }
//! smem-warps smem-warps-shfl result=all
    __syncthreads();
    return *all;  // the next call writes it after its first barrier
}
//! smem-warps smem-warps-shfl result=first
    __syncthreads();  // the first warp has read: the slots may be written again
    return sum;
}

//! raking
// `slots` is shared memory, BLOCK + 33 elements.  //! result=all
// `slots` is shared memory, BLOCK + 32 elements.  //! result=first
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    constexpr int WARPS = BLOCK / 32, ROW = WARPS + 1;  // an odd distance between rows, against bank conflicts
    const int mine = threadIdx.x;
    {T}* const all = slots + 32 * ROW;  //! result=all
    slots[mine / WARPS * ROW + mine % WARPS] = x;
    __syncthreads();
    {U} sum = x;
    if (mine < 32) {
        sum = slots[mine * ROW];
        for (int next = 1; next < WARPS; ++next) sum += slots[mine * ROW + next];
        sum = warp_sum(sum);
        if (mine == 0) *all = sum;  //! result=all
    }
//! raking-columns
// `slots` is shared memory, BLOCK + 1 elements.  //! result=all
// `slots` is shared memory, BLOCK elements.  //! result=first
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* slots) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int mine = threadIdx.x;
    {T}* const all = slots + BLOCK;  //! result=all
    if (mine >= 32) slots[mine] = x;
    __syncthreads();
    {U} sum = x;
    if (mine < 32) {
        for (int other = 32; other < BLOCK; other += 32) sum += slots[mine + other];
        sum = warp_sum(sum);
        if (mine == 0) *all = sum;  //! result=all
    }
//! raking raking-columns result=all
    __syncthreads();
    return *all;  // the next call writes it after its first barrier
}
//! raking raking-columns result=first
    __syncthreads();  // the first warp has read: the slots may be written again
    return sum;
}

//! shfl
// `sums` is shared memory, BLOCK / 32 elements.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* sums) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    {T} sum = warp_sum(x);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    sum = sum_of_sums<BLOCK / 32>(sums);  //! result=all
    if (adds_sums()) sum = sum_of_sums<BLOCK / 32>(sums);  //! result=first
    __syncthreads();  // all warps have read: `sums` may be written again
    return sum;
}

//! shfl-first-warp
// `sums` is shared memory, BLOCK / 32 + 1 elements.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* sums) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    {T}* const all = &sums[BLOCK / 32];
    {T} sum = warp_sum(x);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = sum_of_sums<BLOCK / 32>(sums);
        if (lane == 0) *all = sum;
    }
    __syncthreads();
    return *all;  // the next call writes it after its first barrier
}

//! shfl-loads
// `sums` is shared memory, BLOCK / 32 elements, aligned to 16 bytes.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* sums) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(sums) % 16 == 0);
    {U} sum = warp_sum(x);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
//! shfl-loads result=all
    sum = sums[0];
    for (int other = 1; other < BLOCK / 32; ++other) sum += sums[other];
//! shfl-loads result=first
    if (threadIdx.x == 0) {
        sum = sums[0];
        for (int other = 1; other < BLOCK / 32; ++other) sum += sums[other];
    }
//! shfl-loads
    __syncthreads();  // all threads have read: `sums` may be written again
    return sum;
}

//! shfl-once
// `now` and `next` point to two arrays in shared memory, each with BLOCK / 32 elements. The function swaps the
// pointers: pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    {T} sum = warp_sum(x);
    if (lane == 0) now[warp] = sum;
    __syncthreads();  // all warps have written `now`, and none still reads `next`
    sum = sum_of_sums<BLOCK / 32>(now);  //! result=all
    if (adds_sums()) sum = sum_of_sums<BLOCK / 32>(now);  //! result=first
    {T}* const written = now;
    now = next;
    next = written;
    return sum;
}

//! shfl-loads-once smem8-shfl-once redux-loads-once
// From sm_80 on.  //! redux-loads-once
// `slots` is shared memory, BLOCK elements, aligned to 16 bytes.  //! smem8-shfl-once
// `now` and `next` point to two arrays in shared memory, each with BLOCK / 32 elements, aligned to 16 bytes. The
// function swaps the pointers: pass the same two to every call. Call __syncthreads() before you use the arrays
// otherwise.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}*& now, {T}*& next) {  //! shfl-loads-once redux-loads-once
__device__ inline {T} block_sum({T} x, {T}* slots, {T}*& now, {T}*& next) {  //! smem8-shfl-once
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);  //! smem8-shfl-once
    assert(reinterpret_cast<size_t>(now) % 16 == 0);
    assert(reinterpret_cast<size_t>(next) % 16 == 0);
//! shfl-loads-once smem8-shfl-once redux-loads-once
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
//! smem8-shfl-once
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    {T} sum = groups_sum(slots + warp * 32);
//! shfl-loads-once
    {T} sum = warp_sum(x);
//! redux-loads-once
    {T} sum = __reduce_add_sync(0xffffffffu, x);
//! shfl-loads-once smem8-shfl-once redux-loads-once
    if (lane == 0) now[warp] = sum;
    __syncthreads();  // all warps have written `now`, and none still reads `next`
    sum = load_sums<BLOCK / 32>(now);  //! result=all
    if (adds_sums()) sum = load_sums<BLOCK / 32>(now);  //! shfl-loads-once smem8-shfl-once result=first
    if (warp == 0) sum = load_sums<BLOCK / 32>(now);  //! redux-loads-once result=first
    {T}* const written = now;
    now = next;
    next = written;
    return sum;
}

//! redux
// From sm_80 on. `sums` is shared memory, BLOCK / 32 elements.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* sums) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    {T} sum = __reduce_add_sync(0xffffffffu, x);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    sum = __reduce_add_sync(0xffffffffu, lane < BLOCK / 32 ? sums[lane] : 0);  //! result=all
    if (warp == 0) sum = __reduce_add_sync(0xffffffffu, lane < BLOCK / 32 ? sums[lane] : 0);  //! result=first
    __syncthreads();  // all warps have read: `sums` may be written again
    return sum;
}

//! atomic
// `now`, `next` and `last` point to three elements of shared memory, which are zero, and were before a
// __syncthreads(). The function rotates the pointers: pass the same three to every call.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}*& now, {T}*& next, {T}*& last) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    {T} sum = warp_sum(x);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(now, sum);  //! dtype=f32,f64,i32
        atomicAdd(reinterpret_cast<{U}*>(now), static_cast<{U}>(sum));  //! dtype=i64
    }
    __syncthreads();  // all warps have added to `now`, and all threads have read `last`
    if (threadIdx.x == 0) *last = 0;
    sum = *now;  //! result=all
    if (threadIdx.x == 0) sum = *now;  //! result=first
    {T}* const cleared = last;
    last = now;
    now = next;
    next = cleared;
    return sum;
}

//! atomic-columns-redux
// From sm_80 on. `now` and `next` are two arrays whose elements are zero, and were before a __syncthreads(); `before`
// is zero. Arrays are not cleared: a sum is what they have grown by. The function swaps the two: pass the same two to
// every call.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, Columns& now, Columns& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    atomicAdd(&now.sums[threadIdx.x % 32], x);
    __syncthreads();  // all warps have added to `now`, and none still reads `next`
    {T} sum = x;
    sum = growth(now);  //! result=all
    if (threadIdx.x < 32) sum = growth(now);  //! result=first
    const Columns added = now;
    now = next;
    next = added;
    return sum;
}

//! cub cub-raking
// `storage` is shared memory of the block.
template <int BLOCK>
using BlockReduce = ::cub::BlockReduce<{T}, BLOCK, ::cub::BLOCK_REDUCE_WARP_REDUCTIONS>;  //! cub
using BlockReduce = ::cub::BlockReduce<{T}, BLOCK, ::cub::BLOCK_REDUCE_RAKING>;  //! cub-raking

template <int BLOCK>
__device__ inline {T} block_sum({T} x, typename BlockReduce<BLOCK>::TempStorage& storage) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    {T} sum = BlockReduce<BLOCK>(storage).Sum(x);  // only thread 0 has it
//! cub cub-raking result=all
    __shared__ {T} all;
    if (threadIdx.x == 0) all = sum;
//! cub cub-raking
    __syncthreads();  // before `storage` is used again
    return all;  //! result=all
    return sum;  //! result=first
}

//! cg
// `sums` is shared memory, BLOCK / 32 elements.
template <int BLOCK>
__device__ inline {T} block_sum({T} x, {T}* sums) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    namespace cg = cooperative_groups;
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<32>(block);
    const int lane = tile.thread_rank(), warp = tile.meta_group_rank();
    {T} sum = cg::reduce(tile, x, cg::plus<{T}>());
    if (lane == 0) sums[warp] = sum;
    block.sync();
    sum = cg::reduce(tile, lane < BLOCK / 32 ? sums[lane] : 0, cg::plus<{T}>());  //! result=all
    if (adds_sums()) sum = cg::reduce(tile, lane < BLOCK / 32 ? sums[lane] : 0, cg::plus<{T}>());  //! result=first
    block.sync();  // all warps have read: `sums` may be written again
    return sum;
}

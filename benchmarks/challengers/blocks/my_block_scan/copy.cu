//: smem smem-tree smem-syncwarp dtype=f32,f64,i32,i64 kind=inclusive,exclusive
//: shfl shfl-first-warp shfl-once shfl-loads-once smem8-shfl-once cub cub-raking cg dtype=f32,f64,i32,i64 kind=inclusive,exclusive

//! cub cub-raking
#include <cub/block/block_scan.cuh>

//! cg
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

//! shfl-loads-once smem8-shfl-once
// What one load of 16 bytes reads.
struct alignas(16) Chunk {
    static constexpr int COUNT = 16 / sizeof({T});
    {T} values[COUNT];
};

//! smem8-shfl-once
__device__ inline {T} sum_of(Chunk chunk) {
    const {U} sum = static_cast<{U}>(chunk.values[0]) + chunk.values[1];
    return sum;  //! dtype=f64,i64
    const {U} others = static_cast<{U}>(chunk.values[2]) + chunk.values[3];  //! dtype=f32,i32
    return sum + others;  //! dtype=f32,i32
}

// Returns the sum of the first values of the lane's own chunk, up to its own.  //! kind=inclusive
// Returns the sum of the first values of the lane's own chunk, below its own.  //! kind=exclusive
__device__ inline {T} first_of(Chunk chunk) {
    const int place = threadIdx.x % Chunk::COUNT;
    {U} sum = chunk.values[0];  //! kind=inclusive
    {U} sum = 0;  //! kind=exclusive
    #pragma unroll
    for (int i = 1; i < Chunk::COUNT; ++i) {
        if (place >= i) sum += chunk.values[i];  //! kind=inclusive
        if (place >= i) sum += chunk.values[i - 1];  //! kind=exclusive
    }
    return sum;
}

// Returns the prefix sum of the warp's 32 values in `slots`, which are aligned to 16 bytes: within groups of 8 lanes
// by loads, between groups by shuffles that do not wait for one another.
__device__ inline {T} groups_prefix_sum(const {T}* slots) {
    constexpr int CHUNKS = 8 / Chunk::COUNT;
    const int lane = threadIdx.x % 32, mine = lane / Chunk::COUNT % CHUNKS;
    const Chunk* chunks = reinterpret_cast<const Chunk*>(slots) + lane / 8 * CHUNKS;
    const Chunk own = chunks[mine];
    {U} of_group = sum_of(own), sum = first_of(own);
    #pragma unroll
    for (int i = 1; i < CHUNKS; ++i) {
        const int other = (mine + i) % CHUNKS;
        const {U} of_chunk = sum_of(chunks[other]);
        of_group += of_chunk;
        if (other < mine) sum += of_chunk;
    }
    #pragma unroll
    for (int distance = 8; distance < 32; distance += 8) {
        const {U} below = __shfl_up_sync(0xffffffffu, of_group, distance);
        if (lane >= distance) sum += below;
    }
    return sum;
}

//! shfl-loads-once smem8-shfl-once
// Returns the sum of those of the WARPS values in shared memory that belong to lower warps. A lane loads up to eight of
// them; in larger blocks, shuffles add up what the lanes have loaded.
template <int WARPS>
__device__ {T} load_lower_warps(const {T}* sums) {
    constexpr int PART = WARPS < 8 ? WARPS : 8, PARTS = WARPS / PART;
    const int warp = threadIdx.x / 32, first = threadIdx.x % PARTS * PART;
    {U} even = 0, odd = 0;
    #pragma unroll
    for (int i = 0; i < PART; i += Chunk::COUNT) {
        const Chunk chunk = reinterpret_cast<const Chunk*>(sums + first)[i / Chunk::COUNT];
        #pragma unroll
        for (int j = 0; j < Chunk::COUNT && i + j < WARPS - 1; ++j) {
            {U}& sum = j % 2 ? odd : even;
            sum += first + i + j < warp ? chunk.values[j] : 0;
        }
    }
    {U} sum = even + odd;
    #pragma unroll
    for (int distance = PARTS / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
}

//! shfl shfl-first-warp shfl-once shfl-loads-once
// Returns the sum of the lane's own value and those of all lower lanes, of the first COUNT lanes of a warp.
template <int COUNT>
__device__ {T} warp_prefix_sum({T} x) {
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int distance = 1; distance < COUNT; distance *= 2) {
        const {U} below = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += below;
    }
    return sum;
}

// Returns what a lane adds to the sums of the lower warps, from its value and `warp_prefix_sum` of it.
__device__ inline {T} finished({T} x, {T} sum) {
    return sum;  //! kind=inclusive
//! shfl shfl-first-warp shfl-once shfl-loads-once kind=exclusive
    return static_cast<{U}>(sum) - static_cast<{U}>(x);  //! dtype=i32,i64
    const {T} below = __shfl_up_sync(0xffffffffu, sum, 1);  // not sum - x: it would round  //! dtype=f32,f64
    return threadIdx.x % 32 > 0 ? below : 0;  //! dtype=f32,f64
//! shfl shfl-first-warp shfl-once shfl-loads-once
}

//! shfl shfl-once
// Returns the sum of those of the WARPS values in shared memory that belong to lower warps, to all lanes of the warp.
template <int WARPS>
__device__ {T} sum_of_lower_warps(const {T}* sums) {
    const int other = threadIdx.x % WARPS, warp = threadIdx.x / 32;
    {U} sum = other < warp ? sums[other] : 0;
    for (int distance = WARPS / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
}

//! smem-syncwarp
// Returns the sum of the lane's own value and those of all lower lanes, of the first COUNT lanes of a warp. `slots` is
// shared memory of the warp, 32 elements, with 16 zeros below them.
template <int COUNT>
__device__ {T} warp_prefix_sum({T} x, {T}* slots) {
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int distance = 1; distance < COUNT; distance *= 2) {
        slots[lane] = sum;
        __syncwarp();  // all lanes have written
        sum += slots[lane - distance];
        __syncwarp();  // all lanes have read: the slots may be written again
    }
    return sum;
}

//! smem-tree
// One unused element after every 128 bytes, against bank conflicts.
__device__ inline int padded(int index) { return index + index / int(128 / sizeof({T})); }

//! *
// Returns the sum of the thread's own value and those of all lower threads of the block.  //! kind=inclusive
// Returns the sum of the values of all lower threads of the block; the first thread gets 0.  //! kind=exclusive
// Integers wrap around on overflow.  //! dtype=i32,i64
// All threads of the block must call it. Blocks must be one-dimensional; BLOCK is a power of two from 64 to 1024.

//! smem
// `now` and `next` point to two arrays in shared memory, each with BLOCK elements. The function swaps the
// pointers: pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int mine = threadIdx.x;
    {U} sum = x;
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        now[mine] = sum;
        __syncthreads();  // all threads have written `now`, and none still reads `next`
        if (mine >= distance) sum += now[mine - distance];
        {T}* const written = now;
        now = next;
        next = written;
    }
    return sum;  //! kind=inclusive
//! smem kind=exclusive
    return sum - x;  //! dtype=i32,i64
//! smem kind=exclusive dtype=f32,f64
    now[mine] = sum;  // not sum - x: it would round
    __syncthreads();
    const {T} below = mine > 0 ? now[mine - 1] : 0;
    {T}* const written = now;
    now = next;
    next = written;
    return below;
//! smem
}

//! smem-tree
// `slots` is shared memory, padded(BLOCK) elements. Call __syncthreads() before you use it otherwise.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}* slots) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int mine = threadIdx.x;
    slots[padded(mine)] = x;
    for (int half = 1; half < BLOCK / 2; half *= 2) {  // up: the last slot of a span gets its sum
        __syncthreads();
        if (mine < BLOCK / 2 / half) {
            {T}* const lower = &slots[padded((2 * mine + 1) * half - 1)];
            {T}* const upper = &slots[padded((2 * mine + 2) * half - 1)];
            *upper = static_cast<{U}>(*upper) + static_cast<{U}>(*lower);
        }
    }
    for (int half = BLOCK / 2; half > 0; half /= 2) {  // down: it gets the sum of all slots below the span
        __syncthreads();
        if (mine < BLOCK / 2 / half) {
            {T}* const lower = &slots[padded((2 * mine + 1) * half - 1)];
            {T}* const upper = &slots[padded((2 * mine + 2) * half - 1)];
            const {T} below = half == BLOCK / 2 ? 0 : *upper;
            const {T} of_lower = *lower;
            *lower = below;
            *upper = static_cast<{U}>(below) + static_cast<{U}>(of_lower);
        }
    }
    __syncthreads();
    const {T} below = slots[padded(mine)];  // the next call writes this slot by the same thread
    return static_cast<{U}>(below) + static_cast<{U}>(x);  //! kind=inclusive
    return below;  //! kind=exclusive
}

//! smem-syncwarp
// `slots` is shared memory that only this warp uses, 32 elements, with 16 zeros below them. `sums` is shared memory,
// BLOCK / 32 elements, and `below` BLOCK / 32 + 1, of which the first is zero. A __syncthreads() followed the zeros.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}* slots, {T}* sums, {T}* below) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    {U} sum = warp_prefix_sum<32>(x, slots);
    if (lane == 31) sums[warp] = sum;
//! smem-syncwarp kind=exclusive
    sum -= x;  //! dtype=i32,i64
//! smem-syncwarp kind=exclusive dtype=f32,f64
    slots[lane] = sum;  // not sum - x: it would round
    __syncwarp();
    sum = slots[lane - 1];
    __syncwarp();
//! smem-syncwarp
    __syncthreads();
    if (warp == 0) {
        const {T} of_warps = warp_prefix_sum<BLOCK / 32>(lane < BLOCK / 32 ? sums[lane] : 0, slots);
        if (lane < BLOCK / 32) below[1 + lane] = of_warps;
    }
    __syncthreads();
    return below[warp] + sum;  // the next call writes `below` after its first barrier
}

//! shfl
// `sums` is shared memory, BLOCK / 32 elements.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}* sums) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const {T} sum = warp_prefix_sum<32>(x);
    if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    const {U} below = sum_of_lower_warps<BLOCK / 32>(sums);
    __syncthreads();  // all warps have read: `sums` may be written again
    return below + finished(x, sum);
}

//! shfl-first-warp
// `sums` is shared memory, BLOCK / 32 elements, and `below` BLOCK / 32 + 1, of which the first is zero. A
// __syncthreads() followed the zero.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}* sums, {T}* below) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const {T} inclusive = warp_prefix_sum<32>(x);
    if (lane == 31) sums[warp] = inclusive;
    const {U} sum = finished(x, inclusive);
    __syncthreads();
    if (warp == 0) {
        const {T} of_warps = warp_prefix_sum<BLOCK / 32>(lane < BLOCK / 32 ? sums[lane] : 0);
        if (lane < BLOCK / 32) below[1 + lane] = of_warps;
    }
    __syncthreads();
    return below[warp] + sum;  // the next call writes `below` after its first barrier
}

//! shfl-once
// `now` and `next` point to two arrays in shared memory, each with BLOCK / 32 elements. The function swaps the
// pointers: pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const {T} sum = warp_prefix_sum<32>(x);
    if (threadIdx.x % 32 == 31) now[threadIdx.x / 32] = sum;
    __syncthreads();  // all warps have written `now`, and none still reads `next`
    const {U} below = sum_of_lower_warps<BLOCK / 32>(now);
    {T}* const written = now;
    now = next;
    next = written;
    return below + finished(x, sum);
}

//! shfl-loads-once
// `now` and `next` point to two arrays in shared memory, each with BLOCK / 32 elements and at least 16 bytes, aligned
// to 16 bytes. The function swaps the pointers: pass the same two to every call. Call __syncthreads() before you use
// the arrays otherwise.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(now) % 16 == 0);
    assert(reinterpret_cast<size_t>(next) % 16 == 0);
    const {T} sum = warp_prefix_sum<32>(x);
    if (threadIdx.x % 32 == 31) now[threadIdx.x / 32] = sum;
    __syncthreads();  // all warps have written `now`, and none still reads `next`
    const {U} below = load_lower_warps<BLOCK / 32>(now);
    {T}* const written = now;
    now = next;
    next = written;
    return below + finished(x, sum);
}

//! smem8-shfl-once
// `slots` is shared memory, BLOCK elements, aligned to 16 bytes. `now` and `next` point to two arrays in shared
// memory, each with BLOCK / 32 elements and at least 16 bytes, aligned to 16 bytes. The function swaps the pointers:
// pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}* slots, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    assert(reinterpret_cast<size_t>(now) % 16 == 0);
    assert(reinterpret_cast<size_t>(next) % 16 == 0);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const {U} sum = groups_prefix_sum(slots + (threadIdx.x - threadIdx.x % 32));
    if (threadIdx.x % 32 == 31) now[threadIdx.x / 32] = sum;  //! kind=inclusive
    if (threadIdx.x % 32 == 31) now[threadIdx.x / 32] = sum + x;  //! kind=exclusive
    __syncthreads();  // all warps have written `now` and read `slots`, and none still reads `next`
    const {U} below = load_lower_warps<BLOCK / 32>(now);
    {T}* const written = now;
    now = next;
    next = written;
    return below + sum;
}

//! cub cub-raking
// `storage` is shared memory of the block.
template <int BLOCK>
using BlockScan = ::cub::BlockScan<{T}, BLOCK, ::cub::BLOCK_SCAN_WARP_SCANS>;  //! cub
using BlockScan = ::cub::BlockScan<{T}, BLOCK, ::cub::BLOCK_SCAN_RAKING>;  //! cub-raking

template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, typename BlockScan<BLOCK>::TempStorage& storage) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    {T} sum;
    BlockScan<BLOCK>(storage).InclusiveSum(x, sum);  //! kind=inclusive
    BlockScan<BLOCK>(storage).ExclusiveSum(x, sum);  //! kind=exclusive
    __syncthreads();  // before `storage` is used again
    return sum;
}

//! cg
// `sums` is shared memory, BLOCK / 32 elements.
template <int BLOCK>
__device__ {T} block_prefix_sum({T} x, {T}* sums) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    namespace cg = cooperative_groups;
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<32>(block);
    const unsigned lane = tile.thread_rank(), warp = tile.meta_group_rank();
    {U} sum = cg::inclusive_scan(tile, x);
    if (lane == 31) sums[warp] = sum;
//! cg kind=exclusive
    sum -= x;  //! dtype=i32,i64
    const {T} of_lower = tile.shfl_up(sum, 1);  // not sum - x: it would round  //! dtype=f32,f64
    sum = lane > 0 ? of_lower : 0;  //! dtype=f32,f64
//! cg
    block.sync();
    const {U} below = cg::reduce(tile, lane < warp ? sums[lane] : 0, cg::plus<{T}>());
    block.sync();  // all warps have read: `sums` may be written again
    return below + sum;
}

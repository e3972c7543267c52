//: smem smem-double smem-syncwarp smem-wide smem8-shfl shfl shfl-predicate cub cg dtype=f32,f64,i32,i64 kind=inclusive,exclusive
//: smem16-redux redux-shfl dtype=i32 kind=inclusive,exclusive

//! cub
#include <cub/warp/warp_scan.cuh>

//! cg
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

//! shfl-predicate
// Returns the sum of `value` and that of the lane `distance` below, or `value` if there is no such lane. CUDA C++ has
// no access to the predicate that tells whether there is one; PTX has.
__device__ inline {T} add_from_below({T} value, int distance) {
    {T} sum;
//! shfl-predicate dtype=f32,i32
    asm volatile(
        "{\n\t"
        ".reg .pred exists;\n\t"
        "shfl.sync.up.b32 %0|exists, %1, %2, 0, 0xffffffff;\n\t"
        "@exists add.f32 %0, %0, %1;\n\t"  //! dtype=f32
        "@exists add.s32 %0, %0, %1;\n\t"  //! dtype=i32
        "}"
        : "=&f"(sum) : "f"(value), "r"(distance));  //! dtype=f32
        : "=&r"(sum) : "r"(value), "r"(distance));  //! dtype=i32
//! shfl-predicate dtype=f64,i64
    asm volatile(
        "{\n\t"
        ".reg .b32 low, high;\n\t"
        ".reg .pred exists;\n\t"
        "mov.b64 {low, high}, %1;\n\t"
        "shfl.sync.up.b32 low, low, %2, 0, 0xffffffff;\n\t"
        "shfl.sync.up.b32 high|exists, high, %2, 0, 0xffffffff;\n\t"
        "mov.b64 %0, {low, high};\n\t"
        "@exists add.f64 %0, %0, %1;\n\t"  //! dtype=f64
        "@exists add.s64 %0, %0, %1;\n\t"  //! dtype=i64
        "}"
        : "=&d"(sum) : "d"(value), "r"(distance));  //! dtype=f64
        : "=&l"(sum) : "l"(value), "r"(distance));  //! dtype=i64
//! shfl-predicate
    return sum;
}

//! smem-wide smem8-shfl smem16-redux
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

//! smem16-redux redux-shfl
// Adds `addend` to `sum` if the condition is true. Without PTX, the compiler adds in all lanes and then selects.
__device__ inline void add_if(bool condition, {T}& sum, {T} addend) {
    asm volatile(
        "{\n\t"
        ".reg .pred holds;\n\t"
        "setp.ne.s32 holds, %2, 0;\n\t"
        "@holds add.s32 %0, %0, %1;\n\t"
        "}"
        : "+r"(sum) : "r"(addend), "r"((int)condition));
}

//! smem8-shfl
// Returns the prefix sum of the warp's 32 values in `slots`, which are aligned to 16 bytes: within groups of 8 lanes
// by loads, between groups by shuffles that do not wait for one another.
__device__ inline {T} groups_prefix_sum(const {T}* slots) {
    constexpr int CHUNKS = 8 / Chunk::COUNT;
    const int lane = threadIdx.x % 32, mine = lane / Chunk::COUNT % CHUNKS;
    const Chunk* own = reinterpret_cast<const Chunk*>(slots) + lane / Chunk::COUNT;
    {U} of_group = sum_of(*own), sum = first_of(*own);
    #pragma unroll
    for (int i = 1; i < CHUNKS; ++i) {
        const int other = (mine + i) % CHUNKS;
        const {U} of_chunk = sum_of(own[other - mine]);
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

//! *
// Returns the sum of the lane's own value and those of all lower lanes.  //! kind=inclusive
// Returns the sum of the values of all lower lanes; the first lane gets 0.  //! kind=exclusive
// Integers wrap around on overflow.  //! dtype=i32,i64
//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} prefix_sum({T} x) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int distance = 1; distance < 32; distance *= 2) {
        const {U} below = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += below;
    }
    return sum;  //! kind=inclusive
//! shfl kind=exclusive
    return sum - x;  //! dtype=i32,i64
    const {T} below = __shfl_up_sync(0xffffffffu, sum, 1);  // not sum - x: it would round  //! dtype=f32,f64
    return lane > 0 ? below : 0;  //! dtype=f32,f64
//! shfl
}

//! shfl-predicate
// All 32 lanes of the warp must call it.  //! kind=inclusive
// All 32 lanes of the warp must call it.  //! kind=exclusive dtype=i32,i64
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.  //! kind=exclusive dtype=f32,f64
__device__ inline {T} prefix_sum({T} x) {
    assert(blockDim.y * blockDim.z == 1);  //! kind=exclusive dtype=f32,f64
    {T} sum = x;
    for (int distance = 1; distance < 32; distance *= 2) sum = add_from_below(sum, distance);
    return sum;  //! kind=inclusive
//! shfl-predicate kind=exclusive
    return static_cast<{U}>(sum) - static_cast<{U}>(x);  //! dtype=i32,i64
    const {T} below = __shfl_up_sync(0xffffffffu, sum, 1);  // not sum - x: it would round  //! dtype=f32,f64
    return threadIdx.x % 32 > 0 ? below : 0;  //! dtype=f32,f64
//! shfl-predicate
}

//! smem-wide
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with 64 elements per warp of the block, aligned to 16
// bytes. The first 32 elements of each warp must be 0, and must be so before a __syncwarp(). The function swaps the
// pointers: pass the same two to every call. Call __syncwarp() before you use the arrays otherwise.
__device__ inline {T} prefix_sum({T} x, {T}*& now, {T}*& next) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(now) % 16 == 0 && reinterpret_cast<size_t>(next) % 16 == 0);
    const int lane = threadIdx.x % 32;
    {T}* const slots = now + threadIdx.x / 32 * 64 + 32;
    slots[lane] = x;
    __syncwarp();  // all lanes have written `now`, and none still reads `next`
    const Chunk* own = reinterpret_cast<const Chunk*>(slots) + lane / Chunk::COUNT;
    {U} sums[2] = {static_cast<{U}>(first_of(*own)), 0};
    #pragma unroll
    for (int i = 1; i < 32 / Chunk::COUNT; ++i) {
        sums[i % 2] = sums[i % 2] + sum_of(own[-i]);  // zeros below the first lane; with += it is one instruction more
    }
    {T}* const written = now;
    now = next;
    next = written;
    return sums[0] + sums[1];
}

//! smem8-shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with one element per thread of the block, aligned to 16
// bytes. The function swaps the pointers: pass the same two to every call. Call __syncwarp() before you use the arrays
// otherwise.
__device__ inline {T} prefix_sum({T} x, {T}*& now, {T}*& next) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(now) % 16 == 0 && reinterpret_cast<size_t>(next) % 16 == 0);
    {T}* const slots = now + threadIdx.x / 32 * 32;
    slots[threadIdx.x % 32] = x;
    __syncwarp();  // all lanes have written `now`, and none still reads `next`
    const {T} sum = groups_prefix_sum(slots);
    {T}* const written = now;
    now = next;
    next = written;
    return sum;
}

//! smem16-redux
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps. From sm_80 on.
// `now` and `next` point to two arrays in shared memory, each with 64 elements per warp of the block, aligned to 16
// bytes. The elements 0 to 15 and 32 to 47 of each warp must be 0, and must be so before a __syncwarp(). The function
// swaps the pointers: pass the same two to every call. Call __syncwarp() before you use the arrays otherwise.
__device__ inline {T} prefix_sum({T} x, {T}*& now, {T}*& next) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(now) % 16 == 0 && reinterpret_cast<size_t>(next) % 16 == 0);
    const int lane = threadIdx.x % 32, place = threadIdx.x / 16 * 32 + 16 + lane % 16;
    now[place] = x;
    const {U} of_lower_half = __reduce_add_sync(0xffffffffu, lane < 16 ? x : 0);
    __syncwarp();  // all lanes have written `now`, and none still reads `next`
    const Chunk* own = reinterpret_cast<const Chunk*>(now + place / 4 * 4);
    const {U} third = sum_of(own[-3]), second = sum_of(own[-2]), first = sum_of(own[-1]);  // zeros below the half
    {T} sum = static_cast<{U}>(first_of(*own)) + third + (second + first);
    add_if(lane >= 16, sum, of_lower_half);  // last: with +=, the compiler adds it first, and all additions wait for it
    {T}* const written = now;
    now = next;
    next = written;
    return sum;
}

//! redux-shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional. From sm_80 on.
__device__ inline {T} prefix_sum({T} x) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    const {T} of_lower_half = __reduce_add_sync(0xffffffffu, lane < 16 ? x : 0);
    {T} sum = x;
    #pragma unroll
    for (int distance = 1; distance < 8; distance *= 2) {
        add_if(lane % 16 >= distance, sum, __shfl_up_sync(0xffffffffu, sum, distance, 16));
    }
    const {T} below = __shfl_up_sync(0xffffffffu, sum, 8, 16);
    add_if(lane >= 16, sum, of_lower_half);  // while the shuffle, which does not need it, is under way
    add_if(lane % 16 >= 8, sum, below);
    return sum;  //! kind=inclusive
    return static_cast<{U}>(sum) - static_cast<{U}>(x);  //! kind=exclusive
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
__device__ inline {T} prefix_sum({T} x, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int distance = 1; distance < 32; distance *= 2) {
        slots[threadIdx.x] = sum;
        __syncwarp();  // all lanes have written
        if (lane >= distance) sum += slots[threadIdx.x - distance];
        __syncwarp();  // all lanes have read: the slots may be written again
    }
    return sum;  //! kind=inclusive
//! smem-syncwarp kind=exclusive
    return sum - x;  //! dtype=i32,i64
//! smem-syncwarp kind=exclusive dtype=f32,f64
    slots[threadIdx.x] = sum;  // not sum - x: it would round
    __syncwarp();
    const {T} below = lane > 0 ? slots[threadIdx.x - 1] : 0;
    __syncwarp();
    return below;
//! smem-syncwarp
}

//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
__device__ inline {T} prefix_sum({T} x, {T}* slots) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int distance = 1; distance < 32; distance *= 2) {
        slots[threadIdx.x] = sum;
        __syncthreads();  // all threads have written
        if (lane >= distance) sum += slots[threadIdx.x - distance];
        __syncthreads();  // all threads have read: the slots may be written again
    }
    return sum;  //! kind=inclusive
//! smem kind=exclusive
    return sum - x;  //! dtype=i32,i64
//! smem kind=exclusive dtype=f32,f64
    slots[threadIdx.x] = sum;  // not sum - x: it would round
    __syncthreads();
    const {T} below = lane > 0 ? slots[threadIdx.x - 1] : 0;
    __syncthreads();
    return below;
//! smem
}

//! smem-double
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with one element per thread of the block. The function
// swaps the pointers: pass the same two to every call. Call __syncthreads() before you use the arrays otherwise.
__device__ inline {T} prefix_sum({T} x, {T}*& now, {T}*& next) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    {U} sum = x;
    for (int distance = 1; distance < 32; distance *= 2) {
        now[threadIdx.x] = sum;
        __syncthreads();  // all threads have written `now`, and none still reads `next`
        if (lane >= distance) sum += now[threadIdx.x - distance];
        {T}* const written = now;
        now = next;
        next = written;
    }
    return sum;  //! kind=inclusive
//! smem-double kind=exclusive
    return sum - x;  //! dtype=i32,i64
//! smem-double kind=exclusive dtype=f32,f64
    now[threadIdx.x] = sum;  // not sum - x: it would round
    __syncthreads();
    const {T} below = lane > 0 ? now[threadIdx.x - 1] : 0;
    {T}* const written = now;
    now = next;
    next = written;
    return below;
//! smem-double
}

//! cub
// All 32 lanes of the warp must call it.
// `storage` is shared memory that only this warp uses: one WarpScan::TempStorage per warp of the block.
using WarpScan = ::cub::WarpScan<{T}>;

__device__ inline {T} prefix_sum({T} x, WarpScan::TempStorage& storage) {
    {T} sum;
    WarpScan(storage).InclusiveSum(x, sum);  //! kind=inclusive
    WarpScan(storage).ExclusiveSum(x, sum);  //! kind=exclusive
    __syncwarp();  // before `storage` is used again
    return sum;
}

//! cg
// All 32 lanes of the warp must call it. Blocks must consist of whole warps.
__device__ inline {T} prefix_sum({T} x) {
    assert(blockDim.x * blockDim.y * blockDim.z % 32 == 0);
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    return cg::inclusive_scan(warp, x);  //! kind=inclusive
    return cg::exclusive_scan(warp, x);  //! kind=exclusive
}

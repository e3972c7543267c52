//: smem smem-tree smem-syncwarp dtype=f32,f64,i32,i64 kind=inclusive,exclusive
//: shfl shfl-first-warp shfl-once shfl-loads-once smem8-shfl-once cub cub-raking cg dtype=f32,f64,i32,i64 kind=inclusive,exclusive
//: raking-shfl dtype=f32,i32 kind=inclusive,exclusive
//: redux-smem8 dtype=i32 kind=inclusive,exclusive

//! cub cub-raking
#include <cub/block/block_scan.cuh>

//! cg
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

//! shfl-loads-once smem8-shfl-once redux-smem8
// What one load of 16 bytes reads.
struct alignas(16) Chunk {
    static constexpr int COUNT = 16 / sizeof({T});
    {T} values[COUNT];
};

//! smem8-shfl-once redux-smem8
__device__ inline {T} sum_of(const Chunk& chunk) {
    const {U} sum = static_cast<{U}>(chunk.values[0]) + chunk.values[1];
    return sum;  //! dtype=f64,i64
    const {U} others = static_cast<{U}>(chunk.values[2]) + chunk.values[3];  //! dtype=f32,i32
    return sum + others;  //! dtype=f32,i32
}

// Returns the sum of the first values of the lane's own chunk, up to its own.  //! kind=inclusive
// Returns the sum of the first values of the lane's own chunk, below its own.  //! kind=exclusive
__device__ inline {T} first_of(const Chunk& chunk) {
    const int place = threadIdx.x % Chunk::COUNT;
    const {U} two = static_cast<{U}>(chunk.values[0]) + chunk.values[1];  //! kind=inclusive
    const {U} lower = place >= 1 ? two : chunk.values[0];  //! kind=inclusive
    return lower;  //! dtype=f64,i64 kind=inclusive
    return place >= 1 ? chunk.values[0] : 0;  //! dtype=f64,i64 kind=exclusive
//! smem8-shfl-once redux-smem8 dtype=f32,i32 kind=inclusive
    const {U} last = static_cast<{U}>(chunk.values[2]) + chunk.values[3];
    const {U} upper = place >= 3 ? last : chunk.values[2];
    return place >= 2 ? lower + upper : lower;
//! smem8-shfl-once redux-smem8 dtype=f32,i32 kind=exclusive
    const {U} two = static_cast<{U}>(chunk.values[0]) + chunk.values[1];
    const {U} upper = place >= 3 ? two + chunk.values[2] : two;
    const {U} lower = place >= 1 ? chunk.values[0] : 0;
    return place >= 2 ? upper : lower;
//! smem8-shfl-once redux-smem8
}

// The values of a group of 8 lanes: the lane's own chunk, and the others.
struct Group {
    Chunk own, others[8 / Chunk::COUNT - 1];
};

__device__ inline int own_chunk() { return threadIdx.x % 8 / Chunk::COUNT; }

// `slots` is shared memory, an element per thread, aligned to 16 bytes.
__device__ inline Group load_group(const {T}* slots) {
    const Chunk* const chunks = reinterpret_cast<const Chunk*>(slots) + threadIdx.x / 8 * (8 / Chunk::COUNT);
    Group group = {chunks[own_chunk()]};
    #pragma unroll
    for (int i = 1; i < 8 / Chunk::COUNT; ++i) group.others[i - 1] = chunks[own_chunk() ^ i];
    return group;
}

// Sums of the other chunks of the lane's group, and of groups: of its own, of the one that shares 16 lanes with it, and
// of the other two.
struct GroupSums {
    {U} chunks[8 / Chunk::COUNT - 1], own, adjacent, others;
};

// All lanes of the warp must call it. Its three shuffles do not wait for one another.
__device__ inline GroupSums exchange_groups(const Group& group) {
    GroupSums sums;
    sums.own = sum_of(group.own);
    #pragma unroll
    for (int i = 1; i < 8 / Chunk::COUNT; ++i) sums.own += sums.chunks[i - 1] = sum_of(group.others[i - 1]);
    sums.adjacent = __shfl_xor_sync(0xffffffffu, sums.own, 8);
    const {U} second = __shfl_xor_sync(0xffffffffu, sums.own, 16);
    const {U} third = __shfl_xor_sync(0xffffffffu, sums.own, 24);
    sums.others = second + third;
    return sums;
}

// Returns the prefix sum of the values of the warp.
__device__ inline {T} prefix_sum_of(const Group& group, const GroupSums& sums) {
    {U} sum = first_of(group.own);
    #pragma unroll
    for (int i = 1; i < 8 / Chunk::COUNT; ++i) {
        if ((own_chunk() ^ i) < own_chunk()) sum += sums.chunks[i - 1];
    }
    if (threadIdx.x & 8) sum += sums.adjacent;
    if (threadIdx.x & 16) sum += sums.others;
    return sum;
}

//! smem8-shfl-once
// An array of the sums of warps has copies, each of which begins with zeros and is shifted by one element against the
// one before: in one of them, the sums of the lower warps and zeros are whole chunks.
template <int BLOCK>
struct Shifted {
    static constexpr int WARPS = BLOCK / 32, COUNT = WARPS > Chunk::COUNT ? WARPS : Chunk::COUNT;
    static constexpr int ROW = 2 * COUNT + Chunk::COUNT;  // not a power of two, against bank conflicts
    static constexpr int ELEMENTS = Chunk::COUNT * ROW;
};

// Where the calling thread writes and reads in such an array.
struct WarpSums {
    {T}* own;
    const Chunk* lower;
};

// `sums` is Shifted<BLOCK>::ELEMENTS elements of shared memory, aligned to 16 bytes, which are zero.
template <int BLOCK>
__device__ inline WarpSums warp_sums_in({T}* sums) {
    assert(reinterpret_cast<size_t>(sums) % 16 == 0);
    using Of = Shifted<BLOCK>;
    const int warp = threadIdx.x / 32, copy = threadIdx.x % Chunk::COUNT, aligned = warp % Chunk::COUNT;
    const {T}* const lower = sums + aligned * Of::ROW + warp - aligned;
    return {sums + copy * Of::ROW + Of::COUNT + warp - copy, reinterpret_cast<const Chunk*>(lower)};
}

// Returns `sum` and those of the sums that belong to lower warps. A lane loads up to eight of them; in larger blocks,
// shuffles add up what the lanes have loaded.
template <int BLOCK>
__device__ inline {T} add_lower_warps({U} sum, const WarpSums& sums) {
    constexpr int COUNT = Shifted<BLOCK>::COUNT, PART = COUNT < 8 ? COUNT : 8, PARTS = COUNT / PART;
    const Chunk* const part = sums.lower + threadIdx.x % PARTS * (PART / Chunk::COUNT);
    {U} of_part = PARTS == 1 ? sum : 0;
    #pragma unroll
    for (int i = 0; i < PART / Chunk::COUNT; ++i) {
        const Chunk chunk = part[i];
        of_part += sum_of(chunk);
    }
    #pragma unroll
    for (int distance = PARTS / 2; distance > 0; distance /= 2) {
        of_part += __shfl_xor_sync(0xffffffffu, of_part, distance);
    }
    return PARTS == 1 ? of_part : sum + of_part;
}

//! shfl-loads-once
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
// `slots` is shared memory, BLOCK elements, aligned to 16 bytes. `now` and `next` are warp_sums_in<BLOCK> of two arrays
// that were cleared before a __syncthreads(). The function swaps the two: pass the same two to every call.
template <int BLOCK>
__device__ inline {T} block_prefix_sum({T} x, {T}* slots, WarpSums& now, WarpSums& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const Group group = load_group(slots);
    const GroupSums sums = exchange_groups(group);
    if (threadIdx.x % 32 < Chunk::COUNT) *now.own = sums.own + sums.adjacent + sums.others;
    __syncthreads();  // all warps have written `now` and read `slots`, and none still reads `next`
    const {T} sum = add_lower_warps<BLOCK>(prefix_sum_of(group, sums), now);
    const WarpSums written = now;
    now = next;
    next = written;
    return sum;
}

//! redux-smem8
// From sm_80 on. `slots` is shared memory, BLOCK elements, aligned to 16 bytes. `now` and `next` point to two arrays in
// shared memory, each with BLOCK / 32 zeros, which were written before a __syncthreads(), and as many elements behind
// them. The function swaps the pointers: pass the same two to every call.
template <int BLOCK>
__device__ inline {T} block_prefix_sum({T} x, {T}* slots, {T}*& now, {T}*& next) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    constexpr int WARPS = BLOCK / 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const Group group = load_group(slots);
    const {T} of_warp = __reduce_add_sync(0xffffffffu, x);
    if (lane == 0) now[WARPS + warp] = of_warp;
    __syncthreads();  // all warps have written `now` and read `slots`, and none still reads `next`
    // The elements below the own warp's are zeros and the sums of the lower warps.
    const {T} lower = lane < WARPS ? now[warp + lane] : 0;
    const {U} sum = prefix_sum_of(group, exchange_groups(group));
    {T}* const written = now;
    now = next;
    next = written;
    return sum + __reduce_add_sync(0xffffffffu, lower);
}

//! raking-shfl
// What one access of a lane reads or writes.
template <int COUNT>
struct alignas(COUNT * sizeof({T})) Chunk {
    {U} values[COUNT];
};

// The first warp scans the values of the block, of which each lane has BLOCK / 32 adjacent ones, in chunks of up to 16
// bytes. Chunks of different lanes change places within 128 bytes, against bank conflicts.
template <int BLOCK>
struct Raking {
    static constexpr int VALUES = BLOCK / 32, COUNT = VALUES < 4 ? VALUES : 4, CHUNKS = VALUES / COUNT;
    __device__ static int place_of(int chunk) { return chunk ^ (chunk / 8) % CHUNKS; }
};

// Returns the sum of the values of all lower lanes of the warp.
__device__ inline {T} lower_lanes({T} x) {
    const int lane = threadIdx.x % 32;
    {U} sum = __shfl_up_sync(0xffffffffu, x, 1);
    if (lane == 0) sum = 0;
    #pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const {U} below = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += below;
    }
    return sum;
}

// Replaces the values of a chunk by sums of the first ones, up to each. Returns the sum of all.
__device__ inline {T} scan_chunk(Chunk<2>& chunk) { return chunk.values[1] += chunk.values[0]; }
__device__ inline {T} scan_chunk(Chunk<4>& chunk) {
    chunk.values[1] += chunk.values[0];
    const {U} upper = chunk.values[2] + chunk.values[3];
    chunk.values[2] += chunk.values[1];
    return chunk.values[3] = chunk.values[1] + upper;
}

// `slots` is shared memory, BLOCK elements, aligned to 16 bytes.
template <int BLOCK>
__device__ inline {T} block_prefix_sum({T} x, {T}* slots) {
    static_assert(BLOCK >= 64 && BLOCK <= 1024 && (BLOCK & (BLOCK - 1)) == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    using Of = Raking<BLOCK>;
    const int mine = threadIdx.x;
    {T}* const own = slots + Of::place_of(mine / Of::COUNT) * Of::COUNT + mine % Of::COUNT;
    *own = x;
    __syncthreads();
    if (mine < 32) {
        Chunk<Of::COUNT>* const chunks = reinterpret_cast<Chunk<Of::COUNT>*>(slots);
        Chunk<Of::COUNT> scanned[Of::CHUNKS];
        {U} of_chunks[Of::CHUNKS], of_lane = 0;
        #pragma unroll
        for (int i = 0; i < Of::CHUNKS; ++i) scanned[i] = chunks[Of::place_of(mine * Of::CHUNKS + i)];
        #pragma unroll
        for (int i = 0; i < Of::CHUNKS; ++i) of_lane += of_chunks[i] = scan_chunk(scanned[i]);
        {U} below = lower_lanes(of_lane);
        #pragma unroll
        for (int i = 0; i < Of::CHUNKS; ++i) {
            Chunk<Of::COUNT> sums;
            const {U} up_to_chunk = below + of_chunks[i];
            #pragma unroll
            for (int j = 0; j < Of::COUNT - 1; ++j) {
                sums.values[j] = below + scanned[i].values[j];  //! kind=inclusive
                sums.values[j + 1] = below + scanned[i].values[j];  //! kind=exclusive
            }
            sums.values[Of::COUNT - 1] = up_to_chunk;  //! kind=inclusive
            sums.values[0] = below;  //! kind=exclusive
            chunks[Of::place_of(mine * Of::CHUNKS + i)] = sums;
            below = up_to_chunk;
        }
    }
    __syncthreads();
    return *own;  // the next call writes it by the same thread
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

//: smem smem-syncwarp smem-wide smem-wide-sums smem-wide-double smem-rows-shfl smem-two-rows-shfl shfl global dtype=f32,f64,i32

//! smem-wide smem-wide-sums smem-wide-double smem-rows-shfl smem-two-rows-shfl
// What one load of 16 bytes reads.
struct alignas(16) Chunk {
    static constexpr int COUNT = 16 / sizeof({T});
    {T} values[COUNT];
};

//! smem-wide-sums
// Returns the sum of what `visit` returns for the values of all 32 lanes of the warp. Integers wrap around on overflow.
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block, aligned to 16 bytes.
template <typename Visit>
__device__ inline {T} sum_over_warp({T} x, {T}* slots, Visit visit) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const Chunk* chunks = reinterpret_cast<const Chunk*>(slots + threadIdx.x / 32 * 32);
    {U} sums[4];  // an addition waits only for the one before the last three
    #pragma unroll
    for (int i = 0; i < 32 / Chunk::COUNT; ++i) {
        const Chunk chunk = chunks[i];
        #pragma unroll
        for (int k = 0; k < Chunk::COUNT; ++k) {
            const int place = i * Chunk::COUNT + k;
            const {U} term = visit(chunk.values[k]);
            sums[place % 4] = place < 4 ? term : sums[place % 4] + term;
        }
    }
    __syncwarp();  // all lanes have read: the slots may be written again
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

//! smem-wide-double
// Returns the sum of what `visit` returns for the values of all 32 lanes of the warp. Integers wrap around on overflow.
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with one element per thread of the block, aligned to 16
// bytes. The function swaps the pointers: pass the same two to every call. Call __syncwarp() before you use the arrays
// otherwise.
template <typename Visit>
__device__ inline {T} sum_over_warp({T} x, {T}*& now, {T}*& next, Visit visit) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(now) % 16 == 0 && reinterpret_cast<size_t>(next) % 16 == 0);
    {T}* const slots = now;
    now = next;
    next = slots;
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written `now`, and none still reads `next`
    const Chunk* chunks = reinterpret_cast<const Chunk*>(slots + threadIdx.x / 32 * 32);
    {U} sums[2];  // an addition waits only for the one before the last
    #pragma unroll
    for (int i = 0; i < 32 / Chunk::COUNT; ++i) {
        const Chunk chunk = chunks[i];
        #pragma unroll
        for (int k = 0; k < Chunk::COUNT; ++k) {
            const int place = i * Chunk::COUNT + k;
            const {U} term = visit(chunk.values[k]);
            sums[place % 2] = place < 2 ? term : sums[place % 2] + term;
        }
    }
    return sums[0] + sums[1];
}

//! smem-rows-shfl
// Returns the sum of what `term(x, value)` returns for the values of all 32 lanes of the warp. Integers wrap around on
// overflow. Each lane adds terms for itself and for three other lanes, but only with the eight values of its own group
// of eight lanes: so `term` must not depend on the lane that calls it, other than by its arguments.
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block, aligned to 16 bytes.
template <typename Term>
__device__ inline {T} sum_over_warp({T} x, {T}* slots, Term term) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const {T} rows[4] = {x, slots[threadIdx.x ^ 8], slots[threadIdx.x ^ 16], slots[threadIdx.x ^ 24]};
    const Chunk* group = reinterpret_cast<const Chunk*>(slots + threadIdx.x / 8 * 8);
    {U} sums[4];  // of the lanes at the distances 0, 8, 16 and 24
    #pragma unroll
    for (int i = 0; i < 8 / Chunk::COUNT; ++i) {
        const Chunk chunk = group[i];
        #pragma unroll
        for (int k = 0; k < Chunk::COUNT; ++k) {
            #pragma unroll
            for (int row = 0; row < 4; ++row) {
                const {U} of_value = term(rows[row], chunk.values[k]);
                sums[row] = i == 0 && k == 0 ? of_value : sums[row] + of_value;
            }
        }
    }
    __syncwarp();  // all lanes have read: the slots may be written again
    #pragma unroll
    for (int row = 1; row < 4; ++row) sums[row] = __shfl_xor_sync(0xffffffffu, sums[row], 8 * row);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

//! smem-two-rows-shfl
// Returns the sum of what `term(mine, value)` returns for the 16 values of the chunks.
template <typename Term>
__device__ inline {U} sum_of_row({T} mine, const Chunk (&chunks)[16 / Chunk::COUNT], Term term) {
    constexpr int SUMS = 4;  // an addition waits only for the one before the last three  //! dtype=f32
    constexpr int SUMS = 2;  // an addition waits only for the one before the last  //! dtype!=f32
    {U} sums[SUMS];
    #pragma unroll
    for (int i = 0; i < 16; ++i) {
        const {U} of_value = term(mine, chunks[i / Chunk::COUNT].values[i % Chunk::COUNT]);
        sums[i % SUMS] = i < SUMS ? of_value : sums[i % SUMS] + of_value;
    }
    #pragma unroll
    for (int i = 1; i < SUMS; ++i) sums[0] += sums[i];
    return sums[0];
}

// Returns the sum of what `term(x, value)` returns for the values of all 32 lanes of the warp. Integers wrap around on
// overflow. Each lane adds terms for itself and for one other lane, but only with the 16 values of its own half of the
// warp: so `term` must not depend on the lane that calls it, other than by its arguments.
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block, aligned to 16 bytes.
template <typename Term>
__device__ inline {T} sum_over_warp({T} x, {T}* slots, Term term) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const {T} other = slots[threadIdx.x ^ 16];
    const Chunk* half = reinterpret_cast<const Chunk*>(slots + threadIdx.x / 16 * 16);
    Chunk chunks[16 / Chunk::COUNT];
    #pragma unroll
    for (int i = 0; i < 16 / Chunk::COUNT; ++i) chunks[i] = half[i];
    // First for the other lane, so that the shuffle is under way during the additions for the own one.
    const {U} got = __shfl_xor_sync(0xffffffffu, sum_of_row(other, chunks, term), 16);
    const {U} own = sum_of_row(x, chunks, term);
    __syncwarp();  // all lanes have read: the slots may be written again
    return own + got;
}

//! shfl smem smem-syncwarp smem-wide global
// Calls `visit` in each lane with the values of all 32 lanes of the warp, from the first lane to the last.
//! shfl
// All 32 lanes of the warp must call it.
template <typename Visit>
__device__ inline void visit_warp({T} x, Visit visit) {
    #pragma unroll
    for (int lane = 0; lane < 32; ++lane) visit(__shfl_sync(0xffffffffu, x, lane));
}

//! smem-wide
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block, aligned to 16 bytes.
template <typename Visit>
__device__ inline void visit_warp({T} x, {T}* slots, Visit visit) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const Chunk* chunks = reinterpret_cast<const Chunk*>(slots + threadIdx.x / 32 * 32);
    #pragma unroll
    for (int i = 0; i < 32 / Chunk::COUNT; ++i) {
        const Chunk chunk = chunks[i];
        #pragma unroll
        for (int k = 0; k < Chunk::COUNT; ++k) visit(chunk.values[k]);
    }
    __syncwarp();  // all lanes have read: the slots may be written again
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block. `volatile` keeps one load per value; without it, the
// compiler may merge loads.
template <typename Visit>
__device__ inline void visit_warp({T} x, volatile {T}* slots, Visit visit) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    slots[threadIdx.x] = x;
    __syncwarp();  // all lanes have written
    const int first = threadIdx.x / 32 * 32;
    #pragma unroll
    for (int lane = 0; lane < 32; ++lane) visit(slots[first + lane]);
    __syncwarp();  // all lanes have read: the slots may be written again
}

//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block. `volatile` keeps one load per value; without it, the
// compiler may merge loads.
template <typename Visit>
__device__ inline void visit_warp({T} x, volatile {T}* slots, Visit visit) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    slots[threadIdx.x] = x;
    __syncthreads();  // all threads have written
    const int first = threadIdx.x / 32 * 32;
    #pragma unroll
    for (int lane = 0; lane < 32; ++lane) visit(slots[first + lane]);
    __syncthreads();  // all threads have read: the slots may be written again
}

//! global
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is global memory that only this warp uses: 32 elements.
template <typename Visit>
__device__ inline void visit_warp({T} x, {T}* slots, Visit visit) {
    assert(blockDim.y * blockDim.z == 1);
    slots[threadIdx.x % 32] = x;
    __syncwarp();  // all lanes have written
    #pragma unroll
    for (int lane = 0; lane < 32; ++lane) visit(slots[lane]);
    __syncwarp();  // all lanes have read: the slots may be written again
}

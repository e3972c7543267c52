//: interleaved interleaved-strided sequential first-add dtype=f32,bf16,i32 per_thread=8 order=block,grid
//: smem smem-vector shfl shfl-vector shfl-atomic-warp last-block last-block-acq-rel dtype=f32,bf16,i32 per_thread=8,32,128 order=block,grid
//: redux dtype=i32 per_thread=8,32,128 order=block,grid
//: cub dtype=f32,bf16,i32 per_thread=32 order=block,grid

//! cub
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

//! *
// The type of a sum. Integers wrap around on overflow.  //! dtype=i32
// The type of a sum.  //! dtype!=i32
using Sum = {U};  //! dtype!=bf16
using Sum = float;  //! dtype=bf16

//! interleaved interleaved-strided sequential first-add smem shfl
// One element.
using Word = {T};
__device__ inline Sum sum_of(Word x) { return Sum(x); }

//! smem-vector shfl-vector shfl-atomic-warp redux last-block last-block-acq-rel
// 16 bytes of elements.
using Word = float4;  //! dtype=f32
using Word = uint4;  //! dtype!=f32
__device__ inline Sum sum_of(unsigned x) { return __uint_as_float(x << 16) + __uint_as_float(x & 0xffff0000u); }  //! dtype=bf16
__device__ inline Sum sum_of(Word x) {
    return (x.x + x.y) + (x.z + x.w);  //! dtype!=bf16
    return (sum_of(x.x) + sum_of(x.y)) + (sum_of(x.z) + sum_of(x.w));  //! dtype=bf16
}

//! smem smem-vector shfl shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
// Returns the sum of those of `count` elements that the thread has to add up: {per_thread}, or fewer at the end of
// the array. Each block has its own part of it.  //! order=block
// the array. The elements of a thread are as far apart as the grid is large.  //! order=grid
template <int BLOCK>
__device__ inline Sum thread_sum(const {T}* elements, size_t count) {
//! smem shfl smem-vector shfl-vector shfl-atomic-warp redux last-block last-block-acq-rel
    constexpr int SIZE = sizeof(Word) / sizeof({T}), WORDS = {per_thread} / SIZE;
//! smem shfl
    constexpr int BATCH = WORDS < 8 ? WORDS : 8;  // loads in flight
//! smem-vector shfl-vector shfl-atomic-warp redux last-block last-block-acq-rel
    constexpr int BATCH = WORDS < 4 ? WORDS : 4;  // loads in flight
//! smem shfl smem-vector shfl-vector shfl-atomic-warp redux last-block last-block-acq-rel
    static_assert(WORDS % BATCH == 0);
//! cub
    constexpr int SIZE = 16 / sizeof({T}), WORDS = {per_thread} / SIZE;
//! smem smem-vector shfl shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
    const size_t first = size_t(blockIdx.x) * (BLOCK * WORDS);  // word of the block  //! order=block
    constexpr int step = BLOCK;  // from one word to the next  //! order=block
    const size_t first = size_t(blockIdx.x) * BLOCK;  // word of the block  //! order=grid
    const size_t step = size_t(gridDim.x) * BLOCK;  // from one word to the next  //! order=grid
    Sum sum = 0;
    if ((first + (WORDS - 1) * step + BLOCK) * SIZE > count) {  // the array ends before the words of the block
        for (int word = 0; word < WORDS; ++word) {
            const size_t place = (first + word * step + threadIdx.x) * SIZE;
            for (size_t i = place; i < place + SIZE && i < count; ++i) sum += Sum(elements[i]);
        }
        return sum;
    }
//! smem shfl smem-vector shfl-vector shfl-atomic-warp redux last-block last-block-acq-rel
    const Word* words = reinterpret_cast<const Word*>(elements + first * SIZE) + threadIdx.x;
    for (int start = 0; start < WORDS; start += BATCH) {
        Word batch[BATCH];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) batch[i] = words[(start + i) * step];
        #pragma unroll
        for (int i = 0; i < BATCH; ++i) sum += sum_of(batch[i]);
    }
//! cub
    #pragma unroll 4
    for (int word = 0; word < WORDS; ++word) {
        {T} items[SIZE];
        const {T}* place = elements + (first + word * step) * SIZE;
        ::cub::BlockLoad<{T}, BLOCK, SIZE, ::cub::BLOCK_LOAD_VECTORIZE>().Load(place, items);
        for (const {T} item : items) sum += Sum(item);
    }
//! smem smem-vector shfl shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
    return sum;
}

//! shfl shfl-vector shfl-atomic-warp last-block last-block-acq-rel
// Returns the sum of a warp to lane 0. All 32 lanes of the warp must call it.
__device__ inline Sum warp_sum(Sum sum) {
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
    return sum;
}

//! redux
// Returns the sum of a warp to all lanes. All 32 lanes of the warp must call it. From sm_80 on.
__device__ inline Sum warp_sum(Sum sum) { return __reduce_add_sync(0xffffffffu, sum); }

//! shfl shfl-vector redux last-block last-block-acq-rel
// Returns the sum of a block to thread 0. `of_warps` is shared memory: one sum per warp of the block.
template <int BLOCK>
__device__ inline Sum block_sum(Sum sum, Sum* of_warps) {
    static_assert(BLOCK % 32 == 0 && BLOCK <= 1024);
    const int lane = threadIdx.x % 32;
    sum = warp_sum(sum);
    if (lane == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();  // all warps have written
    if (threadIdx.x < 32) sum = warp_sum(lane < BLOCK / 32 ? of_warps[lane] : Sum(0));
    return sum;
}

//! interleaved interleaved-strided sequential first-add smem smem-vector
// Sums up the slots of a block in slot 0. `slots` is shared memory, one sum per thread of the block; a barrier must
// stand between writing them and the call.
template <int BLOCK>
__device__ inline void sum_up(Sum* slots) {
    static_assert((BLOCK & (BLOCK - 1)) == 0);
    const int t = threadIdx.x;
//! interleaved
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        if (t % (2 * distance) == 0) slots[t] += slots[t + distance];
//! interleaved-strided
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        const int i = 2 * distance * t;
        if (i < BLOCK) slots[i] += slots[i + distance];
//! sequential first-add smem smem-vector
    for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
        if (t < distance) slots[t] += slots[t + distance];
//! interleaved interleaved-strided sequential first-add smem smem-vector
        __syncthreads();  // all sums of this distance are there
    }
}

//! interleaved interleaved-strided sequential first-add smem smem-vector shfl shfl-vector shfl-atomic-warp redux cub
// Adds the sum of an array of `count` elements to *total.
//! last-block last-block-acq-rel
// Stores the sum of an array of `count` elements in *total, always added in the same order for the same launch.
//! *
// All threads of the launch must call it. Blocks must be one-dimensional and consist of BLOCK threads. The array has
// at most {per_thread} elements per thread of the launch.
//! smem-vector shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
// `elements` must be aligned to 16 bytes.
//! interleaved interleaved-strided sequential first-add smem smem-vector
// BLOCK is a power of two. `slots` is shared memory, one sum per thread of the block.
//! shfl shfl-vector redux last-block last-block-acq-rel
// BLOCK is a multiple of 32. `of_warps` is shared memory, one sum per warp of the block.
//! shfl-atomic-warp
// BLOCK is a multiple of 32.
//! last-block last-block-acq-rel
// `partial` is global memory, one sum per block, and `tickets` one counter. The counter must be zero before the first
// launch; it and the sums are zero after each. A launch calls the function once.

//! interleaved interleaved-strided sequential first-add
template <int BLOCK>
__device__ inline void add_sum(const {T}* elements, size_t count, Sum* total, Sum* slots) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    const size_t first = size_t(blockIdx.x) * (BLOCK * {per_thread});  // element of the block  //! order=block
    constexpr int step = BLOCK;  // from one element to the next  //! order=block
    const size_t first = size_t(blockIdx.x) * BLOCK;  // element of the block  //! order=grid
    const size_t step = size_t(gridDim.x) * BLOCK;  // from one element to the next  //! order=grid
    // Whether the array has all elements of the block.
    const bool is_whole = first + ({per_thread} - 1) * step + BLOCK <= count;
    const {T}* mine = elements + first + threadIdx.x;
    // Returns an element of the thread; 0 beyond the end of the array.
    const auto load = [&](int i) {
        return is_whole || first + i * step + threadIdx.x < count ? sum_of(mine[i * step]) : Sum(0);
    };
    Sum sum = 0;
    #pragma unroll 1
//! interleaved interleaved-strided sequential
    for (int tile = 0; tile < {per_thread}; ++tile) {
        slots[threadIdx.x] = load(tile);
//! first-add
    for (int tile = 0; tile < {per_thread}; tile += 2) {
        slots[threadIdx.x] = load(tile) + load(tile + 1);
//! interleaved interleaved-strided sequential first-add
        __syncthreads();  // all threads have written
        sum_up<BLOCK>(slots);
        if (threadIdx.x == 0) sum += slots[0];
    }
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

//! smem smem-vector
template <int BLOCK>
__device__ inline void add_sum(const {T}* elements, size_t count, Sum* total, Sum* slots) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(elements) % 16 == 0);  //! smem-vector shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
    slots[threadIdx.x] = thread_sum<BLOCK>(elements, count);
    __syncthreads();  // all threads have written
    sum_up<BLOCK>(slots);
    if (threadIdx.x == 0) atomicAdd(total, slots[0]);
}

//! shfl shfl-vector redux
template <int BLOCK>
__device__ inline void add_sum(const {T}* elements, size_t count, Sum* total, Sum* of_warps) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(elements) % 16 == 0);  //! smem-vector shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
    const Sum sum = block_sum<BLOCK>(thread_sum<BLOCK>(elements, count), of_warps);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

//! shfl-atomic-warp
template <int BLOCK>
__device__ inline void add_sum(const {T}* elements, size_t count, Sum* total) {
    static_assert(BLOCK % 32 == 0);
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(elements) % 16 == 0);  //! smem-vector shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
    const Sum sum = warp_sum(thread_sum<BLOCK>(elements, count));
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

//! cub
template <int BLOCK>
__device__ inline void add_sum(const {T}* elements, size_t count, Sum* total) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(elements) % 16 == 0);  //! smem-vector shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
    using Reduce = ::cub::BlockReduce<Sum, BLOCK>;
    __shared__ typename Reduce::TempStorage storage;
    const Sum sum = Reduce(storage).Sum(thread_sum<BLOCK>(elements, count));  // only thread 0 has it
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

//! last-block last-block-acq-rel
template <int BLOCK>
__device__ inline void store_sum(
    const {T}* elements, size_t count, Sum* total, Sum* partial, unsigned* tickets, Sum* of_warps
) {
    assert(blockDim.x == BLOCK && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(elements) % 16 == 0);  //! smem-vector shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
    __shared__ bool is_last;
    Sum sum = block_sum<BLOCK>(thread_sum<BLOCK>(elements, count), of_warps);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
//! last-block
        __threadfence();  // the sum is there before the ticket is taken
        is_last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();  // all sums are read after the last ticket was taken
//! last-block-acq-rel
        unsigned ticket;  // it releases the own sum, and acquires those of the blocks with earlier tickets
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(ticket) : "l"(tickets), "r"(gridDim.x - 1) : "memory");
        is_last = ticket == gridDim.x - 1;
//! last-block last-block-acq-rel
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (int block = threadIdx.x; block < gridDim.x; block += BLOCK) {
        sum += partial[block];
        partial[block] = 0;
    }
    sum = block_sum<BLOCK>(sum, of_warps);
    if (threadIdx.x == 0) *total = sum;
}

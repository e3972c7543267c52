//: interleaved interleaved-strided sequential first-add dtype=f32,bf16,i32 per_thread=8 order=block,grid
//: smem smem-vector shfl shfl-vector shfl-atomic-warp last-block last-block-acq-rel dtype=f32,bf16,i32 per_thread=8,32,128 order=block,grid
//: redux dtype=i32 per_thread=8,32,128 order=block,grid
//: cub dtype=f32,bf16,i32 per_thread=32 order=block,grid

//! cub
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

//! smem-vector shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
// 16 bytes of elements: the array must be aligned to 16 bytes.
using Word = float4;  //! dtype=f32
using Word = uint4;  //! dtype!=f32
__device__ inline Sum sum_of(unsigned x) { return __uint_as_float(x << 16) + __uint_as_float(x & 0xffff0000u); }  //! dtype=bf16
__device__ inline Sum sum_of(Word x) {
    return (x.x + x.y) + (x.z + x.w);  //! dtype!=bf16
    return (sum_of(x.x) + sum_of(x.y)) + (sum_of(x.z) + sum_of(x.w));  //! dtype=bf16
}

//! smem smem-vector shfl shfl-vector shfl-atomic-warp redux cub last-block last-block-acq-rel
// Returns the sum of those of `count` words that the thread has to add up: each block has its own part of them.  //! order=block
// Returns the sum of those of `count` words that the thread has to add up: one in as many as the grid has threads.  //! order=grid
__device__ inline Sum thread_sum(const Word* words, size_t count) {
    const size_t part = (count + gridDim.x - 1) / gridDim.x, first = blockIdx.x * part;  //! order=block
    const size_t end = first + part < count ? first + part : count, step = blockDim.x;  //! order=block
    const size_t first = size_t(blockIdx.x) * blockDim.x, step = size_t(gridDim.x) * blockDim.x;  //! order=grid
    const size_t end = count;  //! order=grid
    Sum sum = 0;
    #pragma unroll 8
    for (size_t i = first + threadIdx.x; i < end; i += step) sum += sum_of(words[i]);
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
// Returns the sum of a block to thread 0. Blocks must be one-dimensional and consist of whole warps.
// `of_warps` is shared memory: one sum per warp of the block.
__device__ inline Sum block_sum(Sum sum, Sum* of_warps) {
    const int lane = threadIdx.x % 32;
    sum = warp_sum(sum);
    if (lane == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();  // all warps have written
    if (threadIdx.x < 32) sum = warp_sum(lane < blockDim.x / 32 ? of_warps[lane] : Sum(0));
    return sum;
}

//! interleaved interleaved-strided sequential first-add smem smem-vector
// Sums up the slots of a block in slot 0. Blocks must be one-dimensional, of a power of two of threads.
// `slots` is shared memory, one sum per thread of the block; a barrier must stand between writing them and the call.
__device__ inline void sum_up(Sum* slots) {
    const unsigned t = threadIdx.x;
//! interleaved
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        if (t % (2 * distance) == 0) slots[t] += slots[t + distance];
//! interleaved-strided
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        const unsigned i = 2 * distance * t;
        if (i < blockDim.x) slots[i] += slots[i + distance];
//! sequential first-add smem smem-vector
    for (unsigned distance = blockDim.x / 2; distance > 0; distance /= 2) {
        if (t < distance) slots[t] += slots[t + distance];
//! interleaved interleaved-strided sequential first-add smem smem-vector
        __syncthreads();  // all sums of this distance are there
    }
}

//! interleaved interleaved-strided sequential first-add
// Adds the sum of an array to *total. All threads of the launch must call it.
__device__ inline void add_sum(const Word* words, size_t count, Sum* total, Sum* slots) {
    const size_t part = (count + gridDim.x - 1) / gridDim.x, first = blockIdx.x * part;  //! order=block
    const size_t end = first + part < count ? first + part : count, step = blockDim.x;  //! order=block
    const size_t first = size_t(blockIdx.x) * blockDim.x, step = size_t(gridDim.x) * blockDim.x;  //! order=grid
    const size_t end = count;  //! order=grid
    Sum sum = 0;
//! interleaved interleaved-strided sequential
    for (size_t tile = first; tile < end; tile += step) {  // all threads of a block make as many steps
        const size_t i = tile + threadIdx.x;
        slots[threadIdx.x] = i < end ? sum_of(words[i]) : Sum(0);
//! first-add
    for (size_t tile = first; tile < end; tile += 2 * step) {  // all threads of a block make as many steps
        const size_t i = tile + threadIdx.x, other = i + step;
        slots[threadIdx.x] = (i < end ? sum_of(words[i]) : Sum(0)) + (other < end ? sum_of(words[other]) : Sum(0));
//! interleaved interleaved-strided sequential first-add
        __syncthreads();  // all threads have written
        sum_up(slots);
        if (threadIdx.x == 0) sum += slots[0];
    }
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

//! smem smem-vector
// Adds the sum of an array to *total. All threads of the launch must call it.
__device__ inline void add_sum(const Word* words, size_t count, Sum* total, Sum* slots) {
    slots[threadIdx.x] = thread_sum(words, count);
    __syncthreads();  // all threads have written
    sum_up(slots);
    if (threadIdx.x == 0) atomicAdd(total, slots[0]);
}

//! shfl shfl-vector redux
// Adds the sum of an array to *total. All threads of the launch must call it.
__device__ inline void add_sum(const Word* words, size_t count, Sum* total, Sum* of_warps) {
    const Sum sum = block_sum(thread_sum(words, count), of_warps);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

//! shfl-atomic-warp
// Adds the sum of an array to *total. All threads of the launch must call it. Blocks must be one-dimensional and
// consist of whole warps.
__device__ inline void add_sum(const Word* words, size_t count, Sum* total) {
    const Sum sum = warp_sum(thread_sum(words, count));
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

//! cub
// Adds the sum of an array to *total. All threads of the launch must call it, in one-dimensional blocks of THREADS.
template <int THREADS>
__device__ void add_sum(const Word* words, size_t count, Sum* total) {
    using Reduce = cub::BlockReduce<Sum, THREADS>;
    __shared__ typename Reduce::TempStorage storage;
    const Sum sum = Reduce(storage).Sum(thread_sum(words, count));  // only thread 0 has it
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

//! last-block last-block-acq-rel
// Stores the sum of an array in *total, always added in the same order for the same launch. All threads of the launch
// must call it, once. `partial` is global memory, one sum per block, and `tickets` one counter. The counter must be
// zero before the first launch; it and the sums are zero after each.
__device__ inline void store_sum(
    const Word* words, size_t count, Sum* total, Sum* partial, unsigned* tickets, Sum* of_warps
) {
    __shared__ bool is_last;
    Sum sum = block_sum(thread_sum(words, count), of_warps);
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
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        sum += partial[block];
        partial[block] = 0;
    }
    sum = block_sum(sum, of_warps);
    if (threadIdx.x == 0) *total = sum;
}

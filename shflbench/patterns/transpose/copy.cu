//: smem smem-syncwarp shfl cub dtype=f32 words=8,2,3,4,16,32
//: smem-padded shfl-xor dtype=f32 words=8,2,4,16,32
//: cub-shfl dtype=f32 words=32

//! cub cub-shfl
#include <cub/warp/warp_exchange.cuh>

//! shfl words=3
// Rotates the registers by up to 2 places. Register numbers must be known at compile time, otherwise the array
// lies in local memory: a value moves in conditional steps.
__device__ inline void rotate({T} (&x)[3], int by) {
    #pragma unroll
    for (int step = 1; step < 3; step *= 2) {
        const {T} old[] = {x[0], x[1], x[2]};
        #pragma unroll
        for (int i = 0; i < 3; ++i) x[i] = by & step ? old[(i + 3 - step) % 3] : old[i];
    }
}

//! shfl words!=3
// Exchanges register i with register i ^ by. Register numbers must be known at compile time, otherwise the array
// lies in local memory: a value moves in one conditional step per bit of `by`.
__device__ inline void exchange_registers({T} (&x)[{words}], int by) {
    #pragma unroll
    for (int bit = 1; bit < {words}; bit *= 2) {
        #pragma unroll
        for (int i = 0; i < {words}; ++i) {
            if (i & bit) continue;
            const {T} low = x[i], high = x[i | bit];
            x[i] = by & bit ? high : low;
            x[i | bit] = by & bit ? low : high;
        }
    }
}

//! smem-padded smem-syncwarp words!=3
// The slot of word `index`: one unused slot after every 32 avoids bank conflicts.
__device__ inline int padded(int index) { return index + index / 32; }

//! *
// Transposes the warp's tile of 32 x {words} words. Before, x[i] of lane l is word 32 * i + l of the tile, as after
// coalesced loads. After, it is word {words} * l + i: each lane has {words} consecutive words.
//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// The method is that of Catanzaro, Keller, Garland: A decomposition for in-place matrix transposition, PPoPP 2014.
__device__ inline void striped_to_blocked({T} (&x)[{words}]) {
    const int lane = threadIdx.x % 32;
    {T} y[] = {x[0], x[2], x[1]};                                           //! words=3
    rotate(y, lane % 3);                                                    //! words=3
    #pragma unroll                                                          //! words=3
    for (int i = 0; i < 3; ++i) x[i] = __shfl_sync(0xffffffffu, y[i], (lane * 3 + i) % 32);  //! words=3
    const int group = lane / (32 / {words});                                //! words!=3
    exchange_registers(x, lane % {words});                                  //! words!=3
    #pragma unroll                                                          //! words!=3
    for (int i = 0; i < {words}; ++i) {                                     //! words!=3
        x[i] = __shfl_sync(0xffffffffu, x[i], (lane * {words} + group) % 32 ^ i);  //! words!=3
    }                                                                       //! words!=3
    exchange_registers(x, group);                                           //! words!=3
}

//! shfl-xor
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline void striped_to_blocked({T} (&x)[{words}]) {
    constexpr int GROUP = 32 / {words};  //! words!=32
    const int lane = threadIdx.x % 32;
    const int source = lane % GROUP * {words} + lane / GROUP;                                    //! words!=32
    #pragma unroll                                                                               //! words!=32
    for (int i = 0; i < {words}; ++i) x[i] = __shfl_sync(0xffffffffu, x[i], source);             //! words!=32
    // Each step exchanges one bit of the register number with one bit of the lane number: a lane sends the one of two
    // registers that its partner needs.
    #pragma unroll
    for (int bit = 1; bit < {words}; bit *= 2) {
        const bool upper = lane & bit;  //! words=32
        const bool upper = lane & bit * GROUP;  //! words!=32
        #pragma unroll
        for (int i = 0; i < {words}; ++i) {
            if (i & bit) continue;
            {T} &low = x[i], &high = x[i | bit];
            const {T} received = __shfl_xor_sync(0xffffffffu, upper ? low : high, bit);  //! words=32
            const {T} received = __shfl_xor_sync(0xffffffffu, upper ? low : high, bit * GROUP);  //! words!=32
            (upper ? low : high) = received;
        }
    }
}

//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory that only this warp uses: {words} * 32 elements.
__device__ inline void striped_to_blocked({T} (&x)[{words}], {T}* slots) {
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int i = 0; i < {words}; ++i) slots[i * 32 + lane] = x[i];
    __syncthreads();  // all threads have written
    #pragma unroll
    for (int i = 0; i < {words}; ++i) x[i] = slots[lane * {words} + i];
    __syncthreads();  // all threads have read: the slots may be written again
}

//! smem-padded
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory that only this warp uses: {words} * 33 elements.
__device__ inline void striped_to_blocked({T} (&x)[{words}], {T}* slots) {
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int i = 0; i < {words}; ++i) slots[padded(i * 32 + lane)] = x[i];
    __syncthreads();  // all threads have written
    #pragma unroll
    for (int i = 0; i < {words}; ++i) x[i] = slots[padded(lane * {words} + i)];
    __syncthreads();  // all threads have read: the slots may be written again
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is shared memory that only this warp uses: {words} * 33 elements.  //! words!=3
// `slots` is shared memory that only this warp uses: {words} * 32 elements.  //! words=3
__device__ inline void striped_to_blocked({T} (&x)[{words}], {T}* slots) {
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int i = 0; i < {words}; ++i) slots[i * 32 + lane] = x[i];  //! words=3
    for (int i = 0; i < {words}; ++i) slots[padded(i * 32 + lane)] = x[i];  //! words!=3
    __syncwarp();  // all lanes have written
    #pragma unroll
    for (int i = 0; i < {words}; ++i) x[i] = slots[lane * {words} + i];  //! words=3
    for (int i = 0; i < {words}; ++i) x[i] = slots[padded(lane * {words} + i)];  //! words!=3
    __syncwarp();  // all lanes have read: the slots may be written again
}

//! cub cub-shfl
// All 32 lanes of the warp must call it.
// `storage` is shared memory that only this warp uses: one WarpExchange::TempStorage per warp of the block.
//! cub
using WarpExchange = cub::WarpExchange<{T}, {words}, 32>;

//! cub-shfl
using WarpExchange = cub::WarpExchange<{T}, {words}, 32, cub::WARP_EXCHANGE_SHUFFLE>;

//! cub cub-shfl
__device__ inline void striped_to_blocked({T} (&x)[{words}], WarpExchange::TempStorage& storage) {
    WarpExchange(storage).StripedToBlocked(x, x);
    __syncwarp();  // before `storage` is used again
}

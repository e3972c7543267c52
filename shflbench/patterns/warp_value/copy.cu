//: recompute shfl smem shfl-ahead smem-ahead dtype=i32 work=8,1,32

//! recompute
// Returns what `calculate` returns, in each lane: it must return the same in all lanes of a warp.
template <typename Calculate>
__device__ inline {T} warp_value(Calculate calculate) {
    return calculate();
}

//! shfl
// Returns what `calculate` returns in lane 0 to all lanes. All 32 lanes of the warp must call it.
template <typename Calculate>
__device__ inline {T} warp_value(Calculate calculate) {
    {T} value = 0;
    if (threadIdx.x % 32 == 0) value = calculate();
    return __shfl_sync(0xffffffffu, value, 0);
}

//! smem
// Returns what `calculate(i)` returns in lane 0 to all lanes. Call it with i = 0, 1, 2 and so on in all 32 lanes of the
// warp. `slots` is shared memory, two elements that only this warp uses: one is written again two calls later, with a
// barrier in between.
template <typename Calculate>
__device__ inline {T} warp_value(int i, {T}* slots, Calculate calculate) {
    if (threadIdx.x % 32 == 0) slots[i % 2] = calculate(i);
    __syncwarp();  // lane 0 has written, and no lane still reads the other slot
    return slots[i % 2];
}

//! shfl-ahead
// Returns `calculate(i)` to all lanes. Call it with i = 0, 1, 2 and so on in all 32 lanes of the warp: every 32 calls,
// lane l calculates the value for i + l. `ahead` is a variable of the lane.
template <typename Calculate>
__device__ inline {T} warp_value(int i, {T}& ahead, Calculate calculate) {
    if (i % 32 == 0) ahead = calculate(i + threadIdx.x % 32);
    return __shfl_sync(0xffffffffu, ahead, i % 32);
}

//! smem-ahead
// Returns `calculate(i)` to all lanes. Call it with i = 0, 1, 2 and so on in all 32 lanes of the warp: every 32 calls,
// lane l calculates the value for i + l. `slots` is shared memory, 32 elements that only this warp uses.
template <typename Calculate>
__device__ inline {T} warp_value(int i, {T}* slots, Calculate calculate) {
    if (i % 32 == 0) {
        __syncwarp();  // all lanes have read
        slots[threadIdx.x % 32] = calculate(i + threadIdx.x % 32);
        __syncwarp();  // all lanes have written
    }
    return slots[i % 32];
}

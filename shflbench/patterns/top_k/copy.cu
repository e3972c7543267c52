//: bitonic merge radix cub dtype=i32 elements=256,32,64,128 k=8,32

//! cub
#include <cub/warp/warp_merge_sort.cuh>

//! bitonic merge radix
// The step of a lane in a bitonic network: it keeps the larger or the smaller one of its number and another lane's.
__device__ inline int compare_exchange(int x, int distance, bool keeps_larger) {
    const int other = __shfl_xor_sync(0xffffffffu, x, distance);
    return keeps_larger ? max(x, other) : min(x, other);
}

// Sorts each {k} lanes whose numbers rise and then fall, or the other way round.
__device__ inline int merge(int x, bool descending) {
#pragma unroll
    for (int distance = {k} / 2; distance > 0; distance /= 2) {
        x = compare_exchange(x, distance, !(threadIdx.x & distance) == descending);
    }
    return x;
}

// Sorts each {k} lanes.
__device__ inline int sort(int x, bool descending) {
#pragma unroll
    for (int size = 2; size < {k}; size *= 2) {
#pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            x = compare_exchange(x, distance, !(threadIdx.x & distance) == !(threadIdx.x & size));
        }
    }
    return merge(x, descending);
}

//! merge
// Element `place` of two sorted runs, if these are merged: finds how many of the first run are in front of it.
__device__ inline int find_merged(const int* run, const int* other, int place) {
    int number = 0;
#pragma unroll
    for (int half = {k} / 2; half > 0; half /= 2) {
        const int more = number + half;
        if ((more <= place) & (run[more - 1] > other[max(place - more, 0)])) number = more;
    }
    return max(run[number], other[place - number]);
}

// Of each pair of sorted runs, among ACTIVE elements, the {k} largest are kept.
template <int ACTIVE>
__device__ void select_runs(int* slots) {
    if constexpr (ACTIVE > {k}) {
        constexpr int KEPT = ACTIVE / 2, TURNS = KEPT > 32 ? KEPT / 32 : 1;
        const int lane = threadIdx.x % 32;
        int x[TURNS];
#pragma unroll
        for (int i = 0; i < TURNS; ++i) {
            const int mine = (i * 32 + lane) % KEPT;
            const int* run = slots + mine / {k} * (2 * {k});
            x[i] = find_merged(run, run + {k}, mine % {k});
        }
        __syncwarp();  // all lanes have read
#pragma unroll
        for (int i = 0; i < TURNS; ++i) {
            if (KEPT >= 32 || lane < KEPT) slots[i * 32 + lane] = x[i];
        }
        __syncwarp();  // all lanes have written
        select_runs<KEPT>(slots);
    }
}

//! radix
// A number whose bits have the order of signed integers.
__device__ inline unsigned order_bits(int x) { return unsigned(x) ^ 1u << 31; }

//! *
// Returns the {k} largest of the warp's {elements} elements, of which no two may be equal: lane i gets element i % {k}
// of the descending order. All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole
// warps.
//! merge
// `slots` is shared memory that only this warp uses, {elements} elements.
__device__ inline int top_k(const int (&x)[{elements} / 32], int* slots) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < {elements} / 32; ++i) slots[i * 32 + lane] = sort(x[i], true);
    __syncwarp();  // all lanes have written
    select_runs<{elements}>(slots);
    const int got = slots[lane % {k}];
    __syncwarp();  // all lanes have read: the slots may be written again
    return got;
}
//! radix
// `slots` is shared memory that only this warp uses, {k} elements.
__device__ inline int top_k(const int (&x)[{elements} / 32], int* slots) {
    const int lane = threadIdx.x % 32;
    unsigned least = 0;  // a number that {k} elements reach
    int missing = {k};
#pragma unroll 1
    for (unsigned bit = 1u << 31; bit > 0; bit /= 2) {
        int ones = 0;  // elements that have the bits found so far and then a 1
#pragma unroll
        for (int i = 0; i < {elements} / 32; ++i) {
            ones += __popc(__ballot_sync(0xffffffffu, (order_bits(x[i]) ^ (least | bit)) < bit));
        }
        if (ones >= missing) least |= bit;
        if (ones == missing) break;
        if (ones < missing) missing -= ones;
    }
    int first = 0;
#pragma unroll
    for (int i = 0; i < {elements} / 32; ++i) {
        const bool chosen = order_bits(x[i]) >= least;
        const unsigned lanes = __ballot_sync(0xffffffffu, chosen);
        if (chosen) slots[first + __popc(lanes & (1u << lane) - 1)] = x[i];
        first += __popc(lanes);
    }
    __syncwarp();  // all lanes have written
    const int got = sort(slots[lane % {k}], true);
    __syncwarp();  // all lanes have read: the slots may be written again
    return got;
}
//! bitonic
__device__ inline int top_k(const int (&x)[{elements} / 32]) {
    int got = sort(x[0], true);
#pragma unroll
    for (int i = 1; i < {elements} / 32; ++i) {
        got = merge(max(got, sort(x[i], false)), true);  // the larger ones of opposite runs rise and fall
    }
#pragma unroll
    for (int distance = {k}; distance < 32; distance *= 2) {  // with the run in other lanes, in reverse
        got = merge(max(got, __shfl_xor_sync(0xffffffffu, got, distance + {k} - 1)), true);
    }
    return got;
}
//! cub
// `storage` is shared memory that only this warp uses: one WarpMergeSort::TempStorage per warp of the block.
using WarpMergeSort = cub::WarpMergeSort<int, {elements} / 32, 32>;

__device__ inline int top_k(const int (&x)[{elements} / 32], WarpMergeSort::TempStorage& storage) {
    constexpr int PER_LANE = {elements} / 32;
    const int lane = threadIdx.x % 32, place = lane % {k};
    int sorted[PER_LANE];
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) sorted[i] = x[i];
    WarpMergeSort(storage).Sort(sorted, [](int a, int b) { return a > b; });  // each lane gets elements in a row
    int got = 0;
#pragma unroll
    for (int i = 0; i < PER_LANE; ++i) {
        const int other = __shfl_sync(0xffffffffu, sorted[i], place / PER_LANE);
        if (place % PER_LANE == i) got = other;
    }
    __syncwarp();  // before `storage` is used again
    return got;
}

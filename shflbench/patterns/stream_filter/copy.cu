//: smem-scan shfl-scan ballot-scatter ballot-fns cub dtype=f32,f64 order=ordered,unordered
//: atomic dtype=f32,f64 order=unordered

//! cub
#include <cub/warp/warp_scan.cuh>

//! atomic
// Appends a value to an array in global memory, which starts at element `first` of `kept`. Only the threads that keep
// their value call it; the order is lost. `count` is the number of elements in the array, in global memory.
__device__ inline void append({T} value, {T}* kept, int first, int* count) {
    kept[first + atomicAdd(count, 1)] = value;
}

//! smem-scan shfl-scan ballot-scatter ballot-fns cub
// Appends the values of the lanes that keep theirs to an array of the warp, in the order of the lanes. `count` is the
// number of elements in the array. Returns their new number; it is the same in all lanes.
//! shfl-scan ballot-scatter ballot-fns
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
//! ballot-scatter
__device__ inline int append({T} value, bool keep, {T}* kept, int count) {
    assert(blockDim.y * blockDim.z == 1);
    const unsigned keepers = __ballot_sync(0xffffffffu, keep);
    const unsigned lower = (1u << threadIdx.x % 32) - 1;  // the lanes below this one
    if (keep) kept[count + __popc(keepers & lower)] = value;
    return count + __popc(keepers);
}

//! ballot-fns
__device__ inline int append({T} value, bool keep, {T}* kept, int count) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    const unsigned keepers = __ballot_sync(0xffffffffu, keep);
    const int added = __popc(keepers);
    // Lane i gets the value of the i-th lane that keeps its value. __fns counts from 1, and returns 0xffffffff if
    // there is no such lane; all lanes take part in the shuffle.
    const unsigned source = __fns(keepers, 0, lane + 1);
    const {T} moved = __shfl_sync(0xffffffffu, value, source);
    if (lane < added) kept[count + lane] = moved;
    return count + added;
}

//! shfl-scan
__device__ inline int append({T} value, bool keep, {T}* kept, int count) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int place = keep;  // after the loop: the number of lanes up to this one that keep their values
    for (int distance = 1; distance < 32; distance *= 2) {
        const int below = __shfl_up_sync(0xffffffffu, place, distance);
        if (lane >= distance) place += below;
    }
    if (keep) kept[count + place - 1] = value;
    return count + __shfl_sync(0xffffffffu, place, 31);
}

//! smem-scan
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
// `slots` is shared memory that only this warp uses: 32 elements.
__device__ inline int append({T} value, bool keep, {T}* kept, int count, int* slots) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int place = keep;  // after the loop: the number of lanes up to this one that keep their values
    for (int distance = 1; distance < 32; distance *= 2) {
        slots[lane] = place;
        __syncwarp();  // all lanes have written
        if (lane >= distance) place += slots[lane - distance];
        __syncwarp();  // all lanes have read: the slots may be written again
    }
    slots[lane] = place;
    __syncwarp();
    const int added = slots[31];
    __syncwarp();
    if (keep) kept[count + place - 1] = value;
    return count + added;
}

//! cub
// All 32 lanes of the warp must call it.
// `storage` is shared memory that only this warp uses: one WarpScan::TempStorage per warp of the block.
using WarpScan = ::cub::WarpScan<int>;

__device__ inline int append({T} value, bool keep, {T}* kept, int count, WarpScan::TempStorage& storage) {
    int place, added;
    WarpScan(storage).ExclusiveSum(keep, place, added);
    __syncwarp();  // before `storage` is used again
    if (keep) kept[count + place] = value;
    return count + added;
}

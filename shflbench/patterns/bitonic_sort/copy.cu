//: smem smem-syncwarp shfl cub dtype=f32,f64,i32,i64 payload=none,value

//! cub
#include <cub/warp/warp_merge_sort.cuh>

//! smem smem-syncwarp shfl
// Whether this lane takes the key of the lane `distance` away, in the step of a bitonic network that merges runs of
// `size` keys. Of a pair, the upper lane keeps the larger key; in every second run the lower lane does.
__device__ inline bool takes_other({T} mine, {T} other, int size, int distance) {
    const int lane = threadIdx.x % 32;
    const bool upper = lane & distance, descending = lane & (size % 32);
    return (mine < other) == (upper != descending);  //! payload=none
    return (mine < other) == (upper != descending) && mine != other;  // equal keys stay with their values  //! payload=value
}

//! *
// Sorts the warp's 32 keys in ascending order: lane i gets the i-th.  //! payload=none
// Sorts the warp's 32 keys in ascending order: lane i gets the i-th, and the value that belongs to it.  //! payload=value
// The order of equal keys is not defined.  //! payload=value
// No key may be NaN.  //! dtype=f32,f64
//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} warp_sort({T} key) {  //! payload=none
__device__ inline void warp_sort({T}& key, {T}& value) {  //! payload=value
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
        #pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const {T} other_key = __shfl_xor_sync(0xffffffffu, key, distance);
            const {T} other_value = __shfl_xor_sync(0xffffffffu, value, distance);  //! payload=value
//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
//! smem smem-syncwarp
// `keys` is shared memory, one element per thread of the block.  //! payload=none
// `keys` and `values` are two arrays in shared memory, each with one element per thread of the block.  //! payload=value
__device__ inline {T} warp_sort({T} key, {T}* keys) {  //! payload=none
__device__ inline void warp_sort({T}& key, {T}& value, {T}* keys, {T}* values) {  //! payload=value
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
        #pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            keys[threadIdx.x] = key;
            values[threadIdx.x] = value;  //! payload=value
            __syncwarp();  // all lanes have written  //! smem-syncwarp
            __syncthreads();  // all threads have written  //! smem
            const {T} other_key = keys[threadIdx.x ^ distance];
            const {T} other_value = values[threadIdx.x ^ distance];  //! payload=value
            __syncwarp();  // all lanes have read: the arrays may be written again  //! smem-syncwarp
            __syncthreads();  // all threads have read: the arrays may be written again  //! smem
//! shfl smem smem-syncwarp
            if (takes_other(key, other_key, size, distance)) key = other_key;  //! payload=none
            if (takes_other(key, other_key, size, distance)) {  //! payload=value
                key = other_key;      //! payload=value
                value = other_value;  //! payload=value
            }                         //! payload=value
        }
    }
    return key;  //! payload=none
}

//! cub
// All 32 lanes of the warp must call it.
// `storage` is shared memory that only this warp uses: one WarpSort::TempStorage per warp of the block.
using WarpSort = cub::WarpMergeSort<{T}, 1, 32>;  //! payload=none
using WarpSort = cub::WarpMergeSort<{T}, 1, 32, {T}>;  //! payload=value

__device__ inline {T} warp_sort({T} key, WarpSort::TempStorage& storage) {  //! payload=none
__device__ inline void warp_sort({T}& key, {T}& value, WarpSort::TempStorage& storage) {  //! payload=value
    const auto less = []({T} a, {T} b) { return a < b; };
    {T} keys[] = {key};
    {T} values[] = {value};                         //! payload=value
    WarpSort(storage).Sort(keys, less);             //! payload=none
    WarpSort(storage).Sort(keys, values, less);     //! payload=value
    __syncwarp();  // before `storage` is used again
    return keys[0];      //! payload=none
    key = keys[0];       //! payload=value
    value = values[0];   //! payload=value
}

//: smem smem-syncwarp shfl cub dtype=f32,f64,i32,i64 payload=none,value
//: smem-rank dtype=f32,f64,i32,i64 payload=none,value
//: smem-rank-window dtype=f32 payload=none,value
//: shfl-min dtype=f32,i32 payload=none
//: shfl-min-max dtype=f32,i32 payload=none
//: shfl-complement dtype=i32 payload=none

//! cub
#include <cub/warp/warp_merge_sort.cuh>

//! smem smem-syncwarp shfl
// Whether this lane takes the key of the lane `distance` away, in the step of a bitonic network that merges runs of
// `size` keys. Of a pair, the upper lane keeps the larger key; in every second run the lower lane does.
__device__ inline bool takes_other({T} mine, {T} other, int size, int distance) {
    const int lane = threadIdx.x % 32;
    const bool upper = lane & distance, descending = lane & (size % 32);
    return (mine < other) == (upper != descending);
}

//! smem-rank smem-rank-window dtype=f32,i32
// A whole number with the order of the keys.
using Ordered = int;
using OrderedBits = unsigned;
//! smem-rank dtype=f64,i64
// A whole number with the order of the keys.
using Ordered = long long;
using OrderedBits = unsigned long long;
//! smem-rank smem-rank-window dtype=f32
__device__ inline int in_order(int bits) { return bits ^ (bits >> 31 & 0x7fffffff); }
__device__ inline int to_ordered(float key) { return in_order(__float_as_int(key)); }
//! smem-rank dtype=f32
__device__ inline float from_ordered(int ordered) { return __int_as_float(in_order(ordered)); }
//! smem-rank dtype=f64
__device__ inline long long in_order(long long bits) { return bits ^ (bits >> 63 & 0x7fffffffffffffff); }
__device__ inline long long to_ordered(double key) { return in_order(__double_as_longlong(key)); }
__device__ inline double from_ordered(long long ordered) { return __longlong_as_double(in_order(ordered)); }
//! smem-rank dtype=i32,i64
__device__ inline Ordered to_ordered({T} key) { return key; }
__device__ inline {T} from_ordered(Ordered ordered) { return ordered; }

//! smem-rank smem-rank-window

// Adds 1 if the other key is less than the limit. In PTX, because the compiler would add 1 and then select a number.
__device__ inline void count_less(int& count, Ordered other, Ordered limit) {
    asm("{\n\t"
        ".reg .pred less;\n\t"
        "setp.lt.s32 less, %1, %2;\n\t"  //! dtype=f32,i32
        "setp.lt.s64 less, %1, %2;\n\t"  //! dtype=f64,i64
        "@less add.s32 %0, %0, 1;\n\t"
        "}"
        : "+r"(count)
        : "r"(other), "r"(limit));  //! dtype=f32,i32
        : "l"(other), "l"(limit));  //! dtype=f64,i64
}

//! smem-rank
// Returns how many of the warp's 32 keys come before the lane's own: the smaller ones, and of equal ones those of
// lower lanes. A key of a lower lane is compared with the own key plus 1; of the largest number, this is the smallest
// one.
__device__ inline int rank_in_warp(Ordered key, const Ordered* keys) {
    constexpr int COUNT = 16 / sizeof(Ordered);
    const int lane = threadIdx.x % 32;
    const auto bits = static_cast<OrderedBits>(key);
    int counts[4] = {bits == static_cast<OrderedBits>(-1) >> 1 ? lane : 0};
    #pragma unroll
    for (int i = 0; i < 32 / COUNT; ++i) {
        const int place = (lane / COUNT + i) % (32 / COUNT);  // first the load with the own key
        Ordered others[COUNT];
        const unsigned address = __cvta_generic_to_shared(keys + place * COUNT);
        asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"  //! dtype=f32,i32
                     : "=r"(others[0]), "=r"(others[1]), "=r"(others[2]), "=r"(others[3])  //! dtype=f32,i32
        asm volatile("ld.volatile.shared.v2.b64 {%0, %1}, [%2];"  //! dtype=f64,i64
                     : "=l"(others[0]), "=l"(others[1])  //! dtype=f64,i64
                     : "r"(address) : "memory");
        #pragma unroll
        for (int j = 0; j < COUNT; ++j) {
            const bool is_lower = i == 0 ? j < lane % COUNT : place < lane / COUNT;
            count_less(counts[j % 4], others[j], bits + is_lower);
        }
    }
    return counts[0] + counts[1] + counts[2] + counts[3];
}

//! smem-rank-window
// Returns how many of the warp's 32 keys come before the lane's own: the smaller ones, and of equal ones those of
// lower lanes. `keys` has all keys, and then all keys less 1. From its group of four on, a lane compares its key with
// 32 numbers that follow one another: those of lower groups are less by 1, so that an equal key of theirs counts.
__device__ inline int rank_in_warp(Ordered key, const Ordered* keys) {
    const int lane = threadIdx.x % 32;
    int counts[4] = {};
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        Ordered others[4];
        const unsigned address = __cvta_generic_to_shared(keys + lane / 4 * 4 + 4 * i);
        asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(others[0]), "=r"(others[1]), "=r"(others[2]), "=r"(others[3])
                     : "r"(address) : "memory");
        #pragma unroll
        for (int j = 0; j < 4; ++j) count_less(counts[j], others[j], key + (i == 0 && j < lane % 4));
    }
    return counts[0] + counts[1] + counts[2] + counts[3];
}

//! shfl-min dtype=i32
// Returns -1. In PTX, because the compiler must not know the number: from a register of the thread, one instruction of
// sm_90 subtracts a key, which is its complement, and takes the minimum.
__device__ inline int minus_one_in_register() {
    int result;
    asm("max.s32 %0, %1, -1;" : "=r"(result) : "r"(-1 - static_cast<int>(threadIdx.x)));
    return result;
}

//! shfl-min shfl-min-max
// Reverses the order of the keys of lanes whose bit is 1.
//! shfl-min shfl-min-max dtype=f32
__device__ inline float reverse_if(int bit, float key) { return key * static_cast<float>(1 - 2 * bit); }
//! shfl-min shfl-min-max dtype=i32
__device__ inline int reverse_if(int bit, int key) { return key ^ -bit; }

//! shfl-complement
// Complements a key if the bit is 1, which reverses the order of such keys.
__device__ inline int complement_if(int bit, int key) { return key ^ -(bit & 1); }

// Keeps the larger key in the upper lane of a pair, the smaller one in the lower lane. `one` is 1, which the compiler
// must not know: a product moves the other key, in another unit than a selection, which takes the one that also
// compares.
__device__ inline void keep(int& key, int other, int upper, int one) {
    asm("{\n\t"
        ".reg .pred upper, kept;\n\t"
        "setp.ne.s32 upper, %2, 0;\n\t"
        "setp.lt.xor.s32 kept, %0, %1, upper;\n\t"
        "@!kept mad.lo.s32 %0, %1, %3, 0;\n\t"
        "}"
        : "+r"(key)
        : "r"(other), "r"(upper), "r"(one));
}

//! *
// Sorts the warp's 32 keys in ascending order: lane i gets the i-th.  //! payload=none
// Sorts the warp's 32 keys in ascending order: lane i gets the i-th, and the value that belongs to it.  //! payload=value
// No key may be NaN.  //! dtype=f32,f64
//! smem-rank smem-rank-window cub payload=value
// Of equal keys, that of the lower lane comes first.
//! smem smem-syncwarp shfl payload=value
// No two keys may be equal: both lanes of a pair would keep the same one, and a value would be lost.
//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} warp_sort({T} key) {  //! payload=none
__device__ inline void warp_sort({T}& key, {T}& value) {  //! payload=value
    assert(blockDim.y * blockDim.z == 1);
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
        #pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const {T} other_key = __shfl_xor_sync(0xffffffffu, key, distance);
            const {T} other_value = __shfl_xor_sync(0xffffffffu, value, distance);  //! payload=value
//! shfl-min
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} warp_sort({T} key) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    const int minus_one = minus_one_in_register();  //! dtype=i32
    int reversed = 0;  // 1 if the order of this lane's key is reversed: then the minimum is the larger key
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
        #pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const int keeps_larger = (lane / distance ^ lane / size) & 1;
            key = reverse_if(reversed ^ keeps_larger, key);
            const {T} other = __shfl_xor_sync(0xffffffffu, key, distance);
            key = min(key, -other);             //! dtype=f32
            key = min(key, minus_one - other);  //! dtype=i32
            reversed = keeps_larger;
        }
    }
    return reverse_if(reversed, key);
}

//! shfl-min-max
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} warp_sort({T} key) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    key = reverse_if(lane / 2 & 1, key);  // keys of runs in descending order are reversed
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
        #pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            const {T} other = __shfl_xor_sync(0xffffffffu, key, distance);
            key = lane & distance ? max(key, other) : min(key, other);
        }
        key = reverse_if((lane / size ^ lane / (2 * size)) & 1, key);  // if the direction of larger runs differs
    }
    return key;
}

//! shfl-complement
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline int warp_sort(int key) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    key = complement_if(lane / 2, key);  // keys of runs in descending order are complemented
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2) {
        #pragma unroll
        for (int distance = size / 2; distance > 0; distance /= 2) {
            keep(key, __shfl_xor_sync(0xffffffffu, key, distance), lane & distance, one);
        }
        key = complement_if(lane / size ^ lane / (2 * size), key);  // if the direction of larger runs differs
    }
    return key;
}

//! smem-rank
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `unsorted` and `sorted` are two arrays in shared memory, each with one number per thread of the block, aligned to 16
// bytes; `sorted_values` is one of values. Call __syncwarp() before you use them otherwise.  //! payload=value
// bytes. Call __syncwarp() before you use them otherwise.  //! payload=none
__device__ inline {T} warp_sort({T} key, Ordered* unsorted, Ordered* sorted) {  //! payload=none
__device__ inline void warp_sort(                                                              //! payload=value
    {T}& key, {T}& value, Ordered* unsorted, Ordered* sorted, {T}* sorted_values) {  //! payload=value
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(unsorted) % 16 == 0);
    const int lane = threadIdx.x % 32, first = threadIdx.x - lane;
    Ordered* const of_warp = sorted + first;
    const Ordered mine = to_ordered(key);
    unsorted[threadIdx.x] = mine;
    __syncwarp();  // all lanes have written `unsorted`, and have read what was sorted before
    const int rank = rank_in_warp(mine, unsorted + first);
    of_warp[rank] = mine;
    sorted_values[first + rank] = value;  //! payload=value
    __syncwarp();  // all lanes have written what is sorted, and have read `unsorted`
    return from_ordered(of_warp[lane]);    //! payload=none
    key = from_ordered(of_warp[lane]);     //! payload=value
    value = sorted_values[threadIdx.x];    //! payload=value
}

//! smem-rank-window
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `unsorted` and `sorted` are two arrays in shared memory, with two numbers and one key per thread of the block;
// `unsorted` is aligned to 16 bytes. `sorted_values` is an array of values. Call __syncwarp() before you use them  //! payload=value
// `unsorted` is aligned to 16 bytes. Call __syncwarp() before you use them otherwise.  //! payload=none
// otherwise.  //! payload=value
__device__ inline {T} warp_sort({T} key, Ordered* unsorted, {T}* sorted) {  //! payload=none
__device__ inline void warp_sort(                                                          //! payload=value
    {T}& key, {T}& value, Ordered* unsorted, {T}* sorted, {T}* sorted_values) {  //! payload=value
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    assert(reinterpret_cast<size_t>(unsorted) % 16 == 0);
    const int lane = threadIdx.x % 32, first = threadIdx.x - lane;
    const Ordered mine = to_ordered(key);
    Ordered* const keys = unsorted + 2 * first;
    {T}* const of_warp = sorted + first;
    keys[lane] = mine;
    keys[lane + 32] = mine - 1;  // the smallest and the largest number are NaN
    __syncwarp();  // all lanes have written `unsorted`, and have read what was sorted before
    const int rank = rank_in_warp(mine, keys);
    of_warp[rank] = key;
    sorted_values[first + rank] = value;  //! payload=value
    __syncwarp();  // all lanes have written what is sorted, and have read `unsorted`
    return of_warp[lane];                //! payload=none
    key = of_warp[lane];                 //! payload=value
    value = sorted_values[threadIdx.x];  //! payload=value
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
//! smem smem-syncwarp
// `keys` is shared memory, one element per thread of the block.  //! payload=none
// `keys` and `values` are two arrays in shared memory, each with one element per thread of the block.  //! payload=value
__device__ inline {T} warp_sort({T} key, {T}* keys) {  //! payload=none
__device__ inline void warp_sort({T}& key, {T}& value, {T}* keys, {T}* values) {  //! payload=value
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
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
using WarpSort = ::cub::WarpMergeSort<{T}, 1, 32>;  //! payload=none
using WarpSort = ::cub::WarpMergeSort<{T}, 1, 32, {T}>;  //! payload=value

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

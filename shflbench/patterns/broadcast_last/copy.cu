//: smem smem-syncwarp shfl ballot ballot-float ballot-own ballot-clamp ballot-clamp-float ballot-smem redux cg dtype=f32,f64,i32,i64

//! cg
#include <cooperative_groups.h>

//! ballot ballot-clamp
// Returns the place of the highest bit that is set, or -1. CUDA C++ has no function for this instruction of PTX.
__device__ inline int highest_bit(unsigned bits) {
    int place;
    asm("bfind.u32 %0, %1;" : "=r"(place) : "r"(bits));
    return place;
}

//! ballot-clamp ballot-clamp-float
// Returns the value of lane `source` modulo 32 if that is at most `clamp`, otherwise the lane's own. CUDA C++ has no
// access to this operand of the shuffle; PTX has.
__device__ inline {T} shuffle_up_to({T} value, int source, unsigned clamp) {
    {T} got;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;"      //! dtype=f32,i32
                 : "=f"(got) : "f"(value), "r"(source), "r"(clamp));  //! dtype=f32
                 : "=r"(got) : "r"(value), "r"(source), "r"(clamp));  //! dtype=i32
//! ballot-clamp ballot-clamp-float dtype=f64,i64
    asm volatile(
        "{\n\t"
        ".reg .b32 low, high;\n\t"
        "mov.b64 {low, high}, %1;\n\t"
        "shfl.sync.idx.b32 low, low, %2, %3, 0xffffffff;\n\t"
        "shfl.sync.idx.b32 high, high, %2, %3, 0xffffffff;\n\t"
        "mov.b64 %0, {low, high};\n\t"
        "}"
        : "=d"(got) : "d"(value), "r"(source), "r"(clamp));  //! dtype=f64
        : "=l"(got) : "l"(value), "r"(source), "r"(clamp));  //! dtype=i64
//! ballot-clamp ballot-clamp-float
    return got;
}

//! *
// Returns the value of the last lane whose predicate is true to all lanes; if there is none, each lane gets its own.
//! shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} last_where({T} x, bool predicate) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int last = predicate ? lane : -1;  // the maximum of all lanes is the last lane
    for (int distance = 16; distance > 0; distance /= 2) {
        last = max(last, __shfl_xor_sync(0xffffffffu, last, distance));
    }
    return __shfl_sync(0xffffffffu, x, last < 0 ? lane : last);
}

//! ballot
// All 32 lanes of the warp must call it.
__device__ inline {T} last_where({T} x, bool predicate) {
    const int last = highest_bit(__ballot_sync(0xffffffffu, predicate));
    const {T} got = __shfl_sync(0xffffffffu, x, last);  // it takes a number of a lane modulo 32
    return last < 0 ? x : got;
}

//! ballot-float
// All 32 lanes of the warp must call it.
__device__ inline {T} last_where({T} x, bool predicate) {
    const unsigned lanes = __ballot_sync(0xffffffffu, predicate);
    // The exponent of the mask as a float, rounded towards zero, is 127 more than the place of the highest bit.
    const int last = (__float_as_int(__uint2float_rz(lanes)) >> 23) + 1;
    const {T} got = __shfl_sync(0xffffffffu, x, last);  // it takes a number of a lane modulo 32
    return lanes == 0 ? x : got;
}

//! ballot-own
// All 32 lanes of the warp must call it. Blocks must be one-dimensional.
__device__ inline {T} last_where({T} x, bool predicate) {
    assert(blockDim.y * blockDim.z == 1);
    const unsigned lanes = __ballot_sync(0xffffffffu, predicate);
    // The exponent of twice the mask as a float is 128 more than the place of the highest bit. All is rounded towards
    // zero, so that to add at most 1 does not change the exponent; but if the mask is zero, it is the exponent of that.
    const float own = __int_as_float((96 + threadIdx.x % 32) << 23);  // 2^(lane - 31)
    const float sum = __fmaf_rz(__uint2float_rz(lanes), 2.0f, own);
    return __shfl_sync(0xffffffffu, x, __float_as_int(sum) >> 23);  // it takes a number of a lane modulo 32
}

//! ballot-clamp
// All 32 lanes of the warp must call it.
__device__ inline {T} last_where({T} x, bool predicate) {
    const unsigned lanes = __ballot_sync(0xffffffffu, predicate);
    // A mask is greater than the place of its highest bit, and so no place exceeds the smaller of the mask and 31. The
    // place of an empty mask, -1 or lane 31, exceeds 0: the shuffle returns the lane's own value.
    return shuffle_up_to(x, highest_bit(lanes), min(lanes, 31u));
}

//! ballot-clamp-float
// All 32 lanes of the warp must call it.
__device__ inline {T} last_where({T} x, bool predicate) {
    const unsigned lanes = __ballot_sync(0xffffffffu, predicate);
    // The exponent of the mask as a float, rounded towards zero, is 127 more than the place of the highest bit.
    const int last = (__float_as_int(__uint2float_rz(lanes)) >> 23) + 1;
    // A mask is greater than the place of its highest bit, and so no place exceeds the smaller of the mask and 31. The
    // place of an empty mask, 1, exceeds 0: the shuffle returns the lane's own value.
    return shuffle_up_to(x, last, min(lanes, 31u));
}

//! ballot-smem
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with one element per warp of the block. The function
// swaps the pointers: pass the same two to every call. Call __syncwarp() before you use the arrays otherwise.
__device__ inline {T} last_where({T} x, bool predicate, {T}*& now, {T}*& next) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const unsigned lanes = __ballot_sync(0xffffffffu, predicate);
    {T}* const slot = now + threadIdx.x / 32;
    if (predicate && lanes <= 0xffffffffu >> (31 - threadIdx.x % 32)) *slot = x;  // no higher lane's is true
    __syncwarp();  // the last lane has written `now`, and none still reads `next`
    {T}* const written = now;
    now = next;
    next = written;
    return lanes != 0 ? *slot : x;
}

//! redux
// All 32 lanes of the warp must call it. Blocks must be one-dimensional. From sm_80 on.
__device__ inline {T} last_where({T} x, bool predicate) {
    assert(blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    const int last = __reduce_max_sync(0xffffffffu, predicate ? lane : -1);
    return __shfl_sync(0xffffffffu, x, last < 0 ? lane : last);
}

//! cg
// All 32 lanes of the warp must call it. Blocks must consist of whole warps.
__device__ inline {T} last_where({T} x, bool predicate) {
    assert(blockDim.x * blockDim.y * blockDim.z % 32 == 0);
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int last = 31 - __clz(warp.ballot(predicate));  // the highest bit; -1 if there is none
    const int lane = warp.thread_rank();
    return warp.shfl(x, last < 0 ? lane : last);
}

//! smem-syncwarp
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` and `lanes` are two arrays in shared memory, each with one element per thread of the block. Two arrays need
// fewer barriers than one; call __syncwarp() before you use them otherwise.
__device__ inline {T} last_where({T} x, bool predicate, {T}* slots, int* lanes) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int last = predicate ? lane : -1;  // the maximum of all lanes is the last lane
    for (int distance = 16; distance > 0; distance /= 2) {
        lanes[threadIdx.x] = last;
        __syncwarp();  // all lanes have written
        last = max(last, lanes[threadIdx.x ^ distance]);
        if (distance > 1) __syncwarp();  // all lanes have read; after the last step, the next barrier ensures it
    }
    slots[threadIdx.x] = x;
    __syncwarp();
    return slots[threadIdx.x - lane + (last < 0 ? lane : last)];
}

//! smem
// All threads of the block must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` and `lanes` are two arrays in shared memory, each with one element per thread of the block. Two arrays need
// fewer barriers than one; call __syncthreads() before you use them otherwise.
__device__ inline {T} last_where({T} x, bool predicate, {T}* slots, int* lanes) {
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
    const int lane = threadIdx.x % 32;
    int last = predicate ? lane : -1;  // the maximum of all lanes is the last lane
    for (int distance = 16; distance > 0; distance /= 2) {
        lanes[threadIdx.x] = last;
        __syncthreads();  // all threads have written
        last = max(last, lanes[threadIdx.x ^ distance]);
        if (distance > 1) __syncthreads();  // all threads have read; after the last step, the next barrier ensures it
    }
    slots[threadIdx.x] = x;
    __syncthreads();
    return slots[threadIdx.x - lane + (last < 0 ? lane : last)];
}

//: smem smem-wide smem-wide-double shfl shfl-bits cub cg dtype=f32,bf16 group=32,16 words=1,4
//: smem-shfl redux redux-products dtype=f32,bf16 group=32,16 words=1
//: redux-mask dtype=f32,bf16 group=16 words=1
//: shfl-pairs dtype=bf16 group=32,16 words=1,4

//! cub
#include <cub/warp/warp_reduce.cuh>
#include <cuda/functional>

//! cg
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

//! *
constexpr int LANES = {group} / {words};  // adjacent lanes that have the values of a group  //! dtype=f32
constexpr int LANES = {group} / (2 * {words});  // adjacent lanes that have the values of a group  //! dtype=bf16

//! shfl
// Returns the larger magnitude of two numbers: one instruction, which takes absolute values for nothing.
__device__ inline float larger(float a, float b) { return fmaxf(fabsf(a), fabsf(b)); }

//! cub cg dtype=bf16
// Returns the larger magnitude of two numbers: one instruction, which takes absolute values for nothing.
__device__ inline float larger(float a, float b) { return fmaxf(fabsf(a), fabsf(b)); }

//! cub cg dtype=f32 words=4
// Returns the larger magnitude of two numbers: one instruction, which takes absolute values for nothing.
__device__ inline float larger(float a, float b) { return fmaxf(fabsf(a), fabsf(b)); }

//! shfl cub cg
// Returns the number in a word.  //! dtype=f32
// Returns the larger magnitude of the two numbers in a word.  //! dtype=bf16
__device__ inline float number_of(unsigned word) {
    return __uint_as_float(word);                                                    //! dtype=f32
    return larger(__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u));  //! dtype=bf16
}

//! shfl cub cg words=4
// Returns the largest magnitude in {words} words.
__device__ inline float number_of(const unsigned (&words)[{words}]) {
    float largest = number_of(words[0]);
    for (int i = 1; i < {words}; ++i) largest = larger(largest, number_of(words[i]));
    return largest;
}

//! shfl cub cg
__device__ inline unsigned bits_of(float largest) {
    return __float_as_uint(largest);        //! dtype=f32
    return __float_as_uint(largest) >> 16;  //! dtype=bf16
}

//! smem smem-wide smem-wide-double smem-shfl shfl-bits redux redux-mask
// Returns an integer in the order of the magnitudes: the bits of the number in a word without the sign.  //! dtype=f32
// Returns an integer in the order of the magnitudes: its upper half has the bits of the larger one in a word.  //! dtype=bf16
__device__ inline unsigned number_of(unsigned word) {
    return word & 0x7fffffffu;                 //! dtype=f32
    const unsigned both = word & 0x7fff7fffu;  //! dtype=bf16
    return max(both, both << 16);              //! dtype=bf16
}

//! smem smem-wide smem-wide-double smem-shfl shfl-bits redux redux-mask words=4
// Returns the one of the largest magnitude in {words} words.
__device__ inline unsigned number_of(const unsigned (&words)[{words}]) {
    unsigned largest = number_of(words[0]);
    for (int i = 1; i < {words}; ++i) largest = max(largest, number_of(words[i]));
    return largest;
}

//! smem smem-wide smem-wide-double smem-shfl shfl-bits redux redux-mask
__device__ inline unsigned bits_of(unsigned largest) {
    return largest;        //! dtype=f32
    return largest >> 16;  //! dtype=bf16
}

//! smem-wide smem-wide-double smem-shfl
// What a lane loads at once.
struct alignas(LANES < 4 ? 4 * LANES : 16) Loaded {
    static constexpr int COUNT = LANES < 4 ? LANES : 4;
    unsigned values[COUNT];
};

__device__ inline unsigned largest_of(Loaded loaded) {
    unsigned largest = loaded.values[0];
    for (int i = 1; i < Loaded::COUNT; ++i) largest = max(largest, loaded.values[i]);
    return largest;
}

//! shfl-pairs
// Returns the larger one of two numbers in the lower halves, and likewise in the upper ones.
__device__ inline unsigned larger(unsigned a, unsigned b) {
    unsigned result;
    asm("max.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
}

//! *
// Returns the bits of the largest magnitude of each {group} consecutive values to all lanes that have them.
// Each lane passes the bits of one float.  //! dtype=f32 words=1
// Each lane passes the bits of {words} consecutive floats.  //! dtype=f32 words=4
// Each lane passes one word with two consecutive values.  //! dtype=bf16 words=1
// Each lane passes {words} consecutive words with two values per word.  //! dtype=bf16 words=4
//! shfl cub cg shfl-pairs
// A NaN does not count.
//! smem smem-wide smem-wide-double smem-shfl shfl-bits redux redux-products redux-mask
// A NaN is larger than all numbers.
//! shfl shfl-bits
// All 32 lanes of the warp must call it.
//! shfl-pairs redux redux-products redux-mask
// All 32 lanes of the warp must call it. From sm_80 on.
//! smem
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block.
//! smem-wide
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `slots` is shared memory, one element per thread of the block, aligned to 16 bytes.
//! smem-wide-double smem-shfl
// All 32 lanes of the warp must call it. Blocks must be one-dimensional and consist of whole warps.
// `now` and `next` point to two arrays in shared memory, each with one element per thread of the block and aligned to
// 16 bytes. The function swaps the pointers: pass the same two to every call. Call __syncwarp() before you use the
// arrays otherwise.
//! cub
// All 32 lanes of the warp must call it.
// `storage` is shared memory that only this group uses: one WarpReduce::TempStorage per LANES threads of the block.
using WarpReduce = ::cub::WarpReduce<float, LANES>;

//! cg
// All 32 lanes of the warp must call it. Blocks must consist of whole warps.
//! shfl shfl-bits shfl-pairs redux redux-products redux-mask cg
__device__ inline unsigned largest_magnitude(unsigned own) {  //! words=1
__device__ inline unsigned largest_magnitude(const unsigned (&own)[{words}]) {  //! words=4
//! smem smem-wide
__device__ inline unsigned largest_magnitude(unsigned own, unsigned* slots) {  //! words=1
__device__ inline unsigned largest_magnitude(const unsigned (&own)[{words}], unsigned* slots) {  //! words=4
//! smem-wide-double smem-shfl
__device__ inline unsigned largest_magnitude(unsigned own, unsigned*& now, unsigned*& next) {  //! words=1
__device__ inline unsigned largest_magnitude(const unsigned (&own)[{words}], unsigned*& now, unsigned*& next) {  //! words=4
//! cub
__device__ inline unsigned largest_magnitude(unsigned own, WarpReduce::TempStorage& storage) {  //! words=1
__device__ inline unsigned largest_magnitude(const unsigned (&own)[{words}], WarpReduce::TempStorage& storage) {  //! words=4
//! smem smem-wide smem-wide-double smem-shfl
    assert(blockDim.x % 32 == 0 && blockDim.y * blockDim.z == 1);
//! smem-wide
    assert(reinterpret_cast<size_t>(slots) % 16 == 0);
//! smem-wide-double smem-shfl
    assert(reinterpret_cast<size_t>(now) % 16 == 0 && reinterpret_cast<size_t>(next) % 16 == 0);
    unsigned* const slots = now;
    now = next;
    next = slots;
//! smem
    unsigned largest = number_of(own);
    for (int distance = 1; distance < LANES; distance *= 2) {
        slots[threadIdx.x] = largest;
        __syncwarp();  // all lanes have written
        largest = max(largest, slots[threadIdx.x ^ distance]);
        __syncwarp();  // all lanes have read: the slots may be written again
    }
    return bits_of(largest);
//! smem-shfl
    constexpr int PART = LANES == 32 ? 8 : LANES / 2;  // of each lane, the lanes whose values it loads
//! smem-wide smem-wide-double
    constexpr int PART = LANES;  // of each lane, the lanes whose values it loads
//! smem-wide smem-wide-double smem-shfl
    slots[threadIdx.x] = number_of(own);
    __syncwarp();  // all lanes have written
    const Loaded* const wide = reinterpret_cast<const Loaded*>(slots + threadIdx.x / PART * PART);
    unsigned largest = largest_of(wide[0]);
    for (int i = 1; i < PART / Loaded::COUNT; ++i) largest = max(largest, largest_of(wide[i]));
//! smem-wide
    __syncwarp();  // all lanes have read: the slots may be written again
//! smem-shfl
    const unsigned of_part = largest;  // shuffles do not wait for one another
    for (int distance = PART; distance < LANES; distance += PART) {
        largest = max(largest, __shfl_xor_sync(0xffffffffu, of_part, distance));
    }
//! smem-wide smem-wide-double smem-shfl
    return bits_of(largest);
//! shfl
    float largest = number_of(own);
    for (int distance = 1; distance < LANES; distance *= 2) {
        largest = larger(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    }
    return bits_of(largest);
//! shfl-bits
    unsigned largest = number_of(own);
    for (int distance = 1; distance < LANES; distance *= 2) {
        largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    }
    return bits_of(largest);
//! shfl-pairs
    unsigned pair = own & 0x7fff7fffu;                                            //! words=1
    unsigned pair = own[0] & 0x7fff7fffu;                                         //! words=4
    for (int i = 1; i < {words}; ++i) pair = larger(pair, own[i] & 0x7fff7fffu);  //! words=4
    for (int distance = 1; distance < LANES; distance *= 2) {
        pair = larger(pair, __shfl_xor_sync(0xffffffffu, pair, distance));
    }
    return max(pair & 0xffffu, pair >> 16);
//! redux
    const unsigned number = number_of(own);
    unsigned largest = 0;
#pragma unroll
    for (int group = 0; group < 32 / LANES; ++group) {
        const bool is_own = threadIdx.x % 32 / LANES == group;
        const unsigned of_group = __reduce_max_sync(0xffffffffu, is_own ? number : 0);
        largest = is_own ? of_group : largest;
    }
    return bits_of(largest);
//! redux-products
    unsigned largest = 0;
#pragma unroll
    for (int group = 0; group < 32 / LANES; ++group) {
        unsigned is_own = threadIdx.x % 32 / LANES == group;
        if (LANES < 32) asm("" : "+r"(is_own));  // if the compiler knew that it is 1 or 0, it would select numbers
        const unsigned mask = (0 - is_own) & 0x7fffffffu;           //! dtype=f32
        const unsigned number = own & mask;                         //! dtype=f32
        const unsigned mask = (0 - is_own) & 0x7fffu;               //! dtype=bf16
        const unsigned number = max(own & mask, own >> 16 & mask);  //! dtype=bf16
        largest += is_own * __reduce_max_sync(0xffffffffu, number);
    }
    return largest;
//! redux-mask
    const unsigned mask = 0xffffffffu >> (32 - LANES) << threadIdx.x % 32 / LANES * LANES;
    return bits_of(__reduce_max_sync(mask, number_of(own)));
//! cub
    const float largest = WarpReduce(storage).Reduce(fabsf(number_of(own)), cuda::maximum<>());
    __syncwarp();  // before `storage` is used again
    return bits_of(__shfl_sync(0xffffffffu, largest, 0, LANES));  // only the first lane of a group has it
//! cg
    assert(blockDim.x * blockDim.y * blockDim.z % 32 == 0);
    namespace cg = cooperative_groups;
    const auto lanes = cg::tiled_partition<LANES>(cg::this_thread_block());
    return bits_of(cg::reduce(lanes, fabsf(number_of(own)), cg::greater<float>()));
//! *
}

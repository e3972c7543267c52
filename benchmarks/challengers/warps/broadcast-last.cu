// challenge broadcast-last --dtype f32
#include "last.cuh"
#include "shflbench.cuh"

// shfl.sync.idx takes bits 0-4 of `word` as the lane, and bits 0-4 and 8-12 of it as clamp and segment mask. With a segment mask of
// 31, each lane is a segment of its own: it gets its own value, whatever the other bits. So one word says all: the place of
// the last lane, which is its own clamp; or, for an empty mask, any word with bits 8 to 12 set.
template <typename T>
__device__ T shuffle_by(T value, unsigned word) {
    static_assert(sizeof(T) == 4);
    unsigned bits, got;
    memcpy(&bits, &value, 4);
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, %2, 0xffffffff;" : "=r"(got) : "r"(bits), "r"(word));
    memcpy(&value, &got, 4);
    return value;
}

// The highest bit, or -1 (which has bits 8 to 12 set).
__device__ inline unsigned word_by_flo(unsigned lanes) {
    unsigned place;
    asm("bfind.u32 %0, %1;" : "=r"(place) : "r"(lanes));
    return place;
}

// The exponent of the mask as a float is 127 + place, or 0: with 0x1f81 more it is 0x2000 + place, or 0x1f81, which has
// bits 8 to 12 set. One LEA.HI.
__device__ inline unsigned word_by_float(unsigned lanes) {
    return (__float_as_uint(__uint2float_rz(lanes)) >> 23) + 0x1f81u;
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_flo(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shuffle_by(x, word_by_flo(__ballot_sync(FULL_WARP, holds(x)))));
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_float(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shuffle_by(x, word_by_float(__ballot_sync(FULL_WARP, holds(x)))));
    result[thread()] = x;
}

// The maximum of the lanes that hold, or -1.
template <typename T>
__device__ unsigned word_by_redux(T x, const Holds& holds) {
    return __reduce_max_sync(FULL_WARP, holds(x) ? lane() : NONE);
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_redux(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shuffle_by(x, word_by_redux(x, holds)));
    result[thread()] = x;
}

// The three ways in turn, because each is limited by another unit: FLO has a quarter of the rate of other instructions, REDUX too,
// and the conversion takes an instruction more. `PLAN` has a hexadecimal digit for each of four iterations, from the last.
constexpr unsigned FLO = 0, FLOAT = 1, REDUX = 2;
template <unsigned PLAN, typename T>
__device__ void take_turns(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    unsigned phase = 0;
    REPEAT(iterations) {
        const unsigned way = PLAN >> 4 * phase & 15;
        unsigned word;
        if (way == REDUX) {
            word = word_by_redux(x, holds);
        } else {
            const unsigned lanes = __ballot_sync(FULL_WARP, holds(x));
            word = way == FLOAT ? word_by_float(lanes) : word_by_flo(lanes);
        }
        x = mix(x, shuffle_by(x, word));
        phase = (phase + 1) % 4;
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_flo_float(const T* values, T* result, int iterations) {
    take_turns<0x1010>(values, result, iterations);
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_flo3_float(const T* values, T* result, int iterations) {
    take_turns<0x1000>(values, result, iterations);
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_flo_redux(const T* values, T* result, int iterations) {
    take_turns<0x2020>(values, result, iterations);
}

template <typename T>
__global__ void LAUNCH_BOUNDS x_flo2_redux_float(const T* values, T* result, int iterations) {
    take_turns<0x1020>(values, result, iterations);
}

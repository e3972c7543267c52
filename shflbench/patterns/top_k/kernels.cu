// A warp selects the COUNT largest of its elements: lane i gets element i % COUNT of the descending order.
#include "copied/bitonic.cuh"
#include "copied/heads-rank.cuh"
#include "copied/merge.cuh"
#include "copied/radix.cuh"
#include "copied/rank.cuh"
#include "elements.cuh"
#include "shflbench.cuh"

// Of two sorted runs, one descending and one ascending, the larger one of each pair is among the COUNT largest of both.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_bitonic(const T* values, T* largest, T* result, int iterations) {
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::bitonic::top_k(own.x);
    }
    largest[thread()] = got;
    own.store(result);
}

// Runs are sorted by shuffles, and merged in shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_merge(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * ELEMENTS;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::merge::top_k(own.x, slots);
    }
    largest[thread()] = got;
    own.store(result);
}

// Finds the bits of a number that COUNT elements reach, from the highest on. A bit is 1 if enough elements have the bits found
// so far and then a 1; otherwise, these elements are larger than the number, and that many fewer are missing.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_radix(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * COUNT;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::radix::top_k(own.x, slots);
    }
    largest[thread()] = got;
    own.store(result);
}

#if OPTION_ELEMENTS <= 64
// The place of an element is the number of larger ones, which each lane counts: it loads all elements, 16 bytes at a time.
// Two arrays, so that the barrier after the stores of one also separates the reads of the other from the next stores.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_rank(const T* values, T* largest, T* result, int iterations) {
    int* all = shared<int>() + threadIdx.x / WARP * (ELEMENTS + COUNT);
    int* chosen = all + ELEMENTS;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::rank::top_k(own.x, all, chosen);
    }
    largest[thread()] = got;
    own.store(result);
}
#endif

#if OPTION_ELEMENTS_64 || OPTION_ELEMENTS_128 || OPTION_ELEMENTS_256
// Each lane sorts its elements. The 8 largest are among those of the 8 lanes with the largest first elements, and element j of
// the lane whose first one has rank r has at least r + j larger ones: few candidates are left, whose ranks are their places.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_heads_rank(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * 76;
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::heads_rank::top_k(own.x, slots);
    }
    largest[thread()] = got;
    own.store(result);
}
#endif

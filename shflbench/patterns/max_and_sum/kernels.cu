// All lanes get the largest number of their warp, and the sum of the powers of 2 relative to it (online softmax).
#include "copied/half-pair.cuh"
#include "copied/pair.cuh"
#include "copied/two-reductions.cuh"
#include "pair.cuh"
#include "shflbench.cuh"

// First the maximum of all lanes, then the sum of what each lane has scaled to it.
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_two_reductions(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) state = advance(state, shflbench::two_reductions::warp_max_and_sum(pair_of(state)));
    result[thread()] = state;
}

// One butterfly, whose steps exchange both numbers and scale one of two sums.
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_pair(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) state = advance(state, shflbench::pair::warp_max_and_sum(pair_of(state)));
    result[thread()] = state;
}

// The same with both numbers as f16 in one word. A lane rounds its own pair, too, or lanes would get different results.
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_half_pair(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) state = advance(state, shflbench::half_pair::warp_max_and_sum(pair_of(state)));
    result[thread()] = state;
}

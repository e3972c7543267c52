// The maximum by one instruction for integers: of negative numbers, all bits but the sign are inverted, after which
// integers have the order of the numbers.
#include "copied/redux.cuh"
#include "pair.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_redux(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) state = advance(state, shflbench::redux::warp_max_and_sum(pair_of(state)));
    result[thread()] = state;
}

// The maximum by one instruction for integers: of negative numbers, all bits but the sign are inverted, after which
// integers have the order of the numbers.
#include "copied/redux-smem8-shfl.cuh"
#include "copied/redux.cuh"
#include "copied/rescale-smem8-shfl.cuh"
#include "pair.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_redux(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) state = advance(state, shflbench::redux::warp_max_and_sum(pair_of(state)));
    result[thread()] = state;
}

// The sum through two arrays in shared memory in turn: the barrier of an iteration separates the loads of the last one from
// the next store to the same array.
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_redux_smem8_shfl(const unsigned* states, unsigned* result, int iterations) {
    float *now = shared<float>(), *next = now + blockDim.x;
    unsigned state = states[thread()];
    REPEAT(iterations) {
        state = advance(state, shflbench::redux_smem8_shfl::warp_max_and_sum(pair_of(state), now, next));
    }
    result[thread()] = state;
}

// The same, but no sum waits for its maximum.
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_rescale_smem8_shfl(const unsigned* states, unsigned* result, int iterations) {
    float *now = shared<float>(), *next = now + blockDim.x;
    float earlier = 1000;  // far from all maxima: the first iteration calculates its sum again
    unsigned state = states[thread()];
    REPEAT(iterations) {
        state = advance(state, shflbench::rescale_smem8_shfl::warp_max_and_sum(pair_of(state), earlier, now, next));
    }
    result[thread()] = state;
}

//! *
#include "{copied}"
#define power_of_2 power_of_2_of_the_pattern
#define combine combine_of_the_pattern
#include "pair.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const MaxAndSum all = warp_max_and_sum({own.max, own.sum});
        state = advance(state, {all.max, all.sum});
    }
    result[thread()] = state;
}

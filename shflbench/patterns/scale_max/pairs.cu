// Two maxima of bf16 per instruction, which GPUs have from sm_80 on.
#include "copied/shfl-pairs.cuh"
#include "shflbench.cuh"
#include "values.cuh"

// Both numbers of a word stay side by side in all steps; the larger one of the last two is the result.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_shfl_pairs(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::shfl_pairs::largest_magnitude(values.own()));
    values.store(result);
}

// The largest magnitude by cooperative groups.
#include "copied/cg.cuh"
#include "shflbench.cuh"
#include "values.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_cg(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::cg::largest_magnitude(values.own()));
    values.store(result);
}

// The largest magnitude by instructions that GPUs have from sm_80 on.
#include "copied/redux-mask.cuh"
#include "copied/redux-products.cuh"
#include "copied/redux.cuh"
#include "shflbench.cuh"
#include "values.cuh"

// All lanes of a warp take part in the maximum of every group; those of other groups have zero.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_redux(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::redux::largest_magnitude(values.own()));
    values.store(result);
}

// Likewise, but a mask per group keeps the bits of a magnitude in its lanes, and a product with 1 or 0 keeps its maximum.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_redux_products(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::redux_products::largest_magnitude(values.own()));
    values.store(result);
}

// Each group passes a mask of its own. An instruction takes one mask: the groups of a warp take turns.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_redux_mask(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::redux_mask::largest_magnitude(values.own()));
    values.store(result);
}

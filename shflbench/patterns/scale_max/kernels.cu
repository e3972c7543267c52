// All lanes that have the values of a group get the bits of the largest magnitude among them.
#include "copied/shfl-bits.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-shfl.cuh"
#include "copied/smem-wide-double.cuh"
#include "copied/smem-wide.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"
#include "values.cuh"

// Maxima of integers, whose order is that of the magnitudes: a store and a load per step.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_smem(const unsigned* states, unsigned* result, int iterations) {
    unsigned* slots = shared<unsigned>();
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::smem::largest_magnitude(values.own(), slots));
    values.store(result);
}

// One store, and each lane loads what all lanes of its group have stored.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_smem_wide(const unsigned* states, unsigned* result, int iterations) {
    unsigned* slots = shared<unsigned>();
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::smem_wide::largest_magnitude(values.own(), slots));
    values.store(result);
}

// Two arrays in turn: the barrier of an iteration separates the loads of the last one from the next store to the same array.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_smem_wide_double(const unsigned* states, unsigned* result, int iterations) {
    unsigned *now = shared<unsigned>(), *next = now + blockDim.x;
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::smem_wide_double::largest_magnitude(values.own(), now, next));
    values.store(result);
}

// Likewise, but each lane loads what a part of its group has stored, and shuffles do the rest.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_smem_shfl(const unsigned* states, unsigned* result, int iterations) {
    unsigned *now = shared<unsigned>(), *next = now + blockDim.x;
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::smem_shfl::largest_magnitude(values.own(), now, next));
    values.store(result);
}

// Maxima of floats.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_shfl(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::shfl::largest_magnitude(values.own()));
    values.store(result);
}

// Maxima of integers, whose order is that of the magnitudes.
template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_shfl_bits(const unsigned* states, unsigned* result, int iterations) {
    Values<T> values(states);
    REPEAT(iterations) values.advance(shflbench::shfl_bits::largest_magnitude(values.own()));
    values.store(result);
}

// A warp transposes four matrices of 8x8 elements of 16 bits, each of which lies in one register per lane.
#include "copied/ldmatrix.cuh"
#include "copied/movmatrix.cuh"
#include "copied/shfl-prmt.cuh"
#include "copied/stmatrix.cuh"
#include "fragment.cuh"
#include "shflbench.cuh"

// Words are stored row by row, and loaded as columns.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_ldmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * MATRICES;
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::ldmatrix::transpose(own.word, words);
        own.advance();
    }
    own.store(result);
}

// Words are stored as columns, and loaded row by row.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_stmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * MATRICES;
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::stmatrix::transpose(own.word, words);
        own.advance();
    }
    own.store(result);
}

// One instruction for each matrix, in registers.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_movmatrix(const T* values, T* result, int iterations) {
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::movmatrix::transpose(own.word);
        own.advance();
    }
    own.store(result);
}

// A lane gets the two words that have its elements, from lanes of two adjacent rows, and takes one half of each.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose16_shfl_prmt(const T* values, T* result, int iterations) {
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::shfl_prmt::transpose(own.word);
        own.advance();
    }
    own.store(result);
}

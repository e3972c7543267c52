// A warp transposes two matrices of 16x16 elements of 8 bits, each of which lies in two registers per lane.
#include "copied/ldmatrix.cuh"
#include "copied/movmatrix.cuh"
#include "copied/shfl-prmt.cuh"
#include "copied/stmatrix.cuh"
#include "fragment.cuh"
#include "shflbench.cuh"

// Words are stored row by row, and loaded as columns.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose8_ldmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * WORDS;
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::ldmatrix::transpose(own.word, words);
        own.advance();
    }
    own.store(result);
}

// Words are stored as columns, and loaded row by row.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose8_stmatrix(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * WORDS;
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::stmatrix::transpose(own.word, words);
        own.advance();
    }
    own.store(result);
}

// One instruction for each word, in registers.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose8_movmatrix(const T* values, T* result, int iterations) {
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::movmatrix::transpose(own.word);
        own.advance();
    }
    own.store(result);
}

// A lane gets two words of 2x2 elements by two shuffles, from lanes of two adjacent rows.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose8_shfl_prmt(const T* values, T* result, int iterations) {
    Fragments<T> own(values);
    REPEAT(iterations) {
        shflbench::shfl_prmt::transpose(own.word);
        own.advance();
    }
    own.store(result);
}

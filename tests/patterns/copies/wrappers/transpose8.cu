//! *
#include "{copied}"
#include "fragment.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    unsigned* words = shared<unsigned>() + first_of_warp() * WORDS;  //! ldmatrix stmatrix
    Fragments<T> own(values);
    REPEAT(iterations) {
        transpose(own.word, words);  //! ldmatrix stmatrix
        transpose(own.word);  //! movmatrix shfl-prmt
        own.advance();
    }
    own.store(result);
}

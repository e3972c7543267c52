//! *
namespace copied {
#include "{copied}"
}
#include "elements.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* largest, T* result, int iterations) {
    int* slots = shared<int>() + threadIdx.x / WARP * ELEMENTS;  //! merge
    int* slots = shared<int>() + threadIdx.x / WARP * COUNT;  //! radix
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = copied::top_k(own.x);  //! bitonic
        got = copied::top_k(own.x, slots);  //! merge radix
    }
    largest[thread()] = got;
    own.store(result);
}

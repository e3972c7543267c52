// The selection by the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "copied/redux.cuh"
#include "copied/redux-product.cuh"
#include "elements.cuh"
#include "shflbench.cuh"

// The largest of all elements, COUNT times: each lane shows the largest element that it still has.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_redux(const T* values, T* largest, T* result, int iterations) {
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::redux::top_k(own.x);
    }
    largest[thread()] = got;
    own.store(result);
}

#if OPTION_ELEMENTS_64 || OPTION_ELEMENTS_128 || OPTION_ELEMENTS_256
// The same, whose lanes move the elements that they still have by products: the integer unit compares.
template <typename T>
__global__ void LAUNCH_BOUNDS top_k_redux_product(const T* values, T* largest, T* result, int iterations) {
    Elements own(values);
    int got = 0;
    REPEAT(iterations) {
        own.advance(got);
        got = shflbench::redux_product::top_k(own.x);
    }
    largest[thread()] = got;
    own.store(result);
}
#endif

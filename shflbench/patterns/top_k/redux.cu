// The selection by the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "copied/redux.cuh"
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

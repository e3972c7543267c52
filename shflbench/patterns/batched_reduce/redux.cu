// The sums by the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "batch.cuh"
#include "copied/redux.cuh"
#include "shflbench.cuh"

// One instruction for each sum, of integers.
template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_redux(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::redux::warp_sums(x, sums);
        batch.take(sums);
    }
    batch.store(result);
}

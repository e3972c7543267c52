//! *
#include "{copied}"
#include "shflbench.cuh"
#include "steps.cuh"

template <typename T>
__global__ void {kernel}(const T* values, const int* numbers, T* result, int iterations) {
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    T ahead = 0;  //! shfl-ahead
    T* slot = shared<T>() + threadIdx.x / WARP;  //! smem
    T* slots = shared<T>() + threadIdx.x / WARP * WARP;  //! smem-ahead
    REPEAT(iterations) {
//! recompute shfl
        x = advance(x, warp_value([&] { return value_of(number + iteration); }));
//! smem
        x = advance(x, warp_value(slot, [&] { return value_of(number + iteration); }));
//! shfl-ahead
        x = advance(x, warp_value(iteration, ahead, [&](int i) { return value_of(number + i); }));
//! smem-ahead
        x = advance(x, warp_value(iteration, slots, [&](int i) { return value_of(number + i); }));
//! *
    }
    result[thread()] = x;
}

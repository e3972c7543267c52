//! *
#include "{copied}"
#include "shflbench.cuh"
#include "work.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    T* slots = shared<T>();  //! smem smem-syncwarp smem-wide smem-wide-sums
    T* slots = result + thread() - lane();  //! global
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = 0;
        sum = sum_over_warp(x, slots, [&](T value) { return distance(x, value); });  //! smem-wide-sums
        const auto add_distance = [&](T value) { sum = add(sum, distance(x, value)); };
        visit_warp(x, add_distance);  //! shfl
        visit_warp(x, slots, add_distance);  //! smem smem-syncwarp smem-wide global
        x = advance(x, sum);
    }
    result[thread()] = x;
}

//! *
#include "{copied}"
#include "roles.cuh"
#include "shflbench.cuh"

__device__ inline int absorbed(int x, const int (&got)[PRODUCERS]) {
#pragma unroll
    for (int i = 0; i < PRODUCERS; ++i) x = int(unsigned(x) * 0x9E3779B1u + unsigned(got[i]));
    return x;
}

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    __shared__ Rows<BLOCK> rows;
    T x = values[thread()];
//! syncthreads
    REPEAT(iterations) {
        if (is_producer()) x = produce(x);
        hand_over<BLOCK>(x, iteration, rows, [&](const T (&got)[PRODUCERS]) { x = absorbed(x, got); });
    }
//! mbarrier mbarrier-threads mbarrier-once flag
    init(rows);
//! named mbarrier mbarrier-threads mbarrier-once flag
    if (is_producer()) {
        REPEAT(iterations) put(x = produce(x), iteration, rows);
    } else {
        REPEAT(iterations) {
            T got[PRODUCERS];
            get(got, iteration, iterations, rows);  //! named
            get(got, iteration, rows);  //! mbarrier mbarrier-threads mbarrier-once flag
            x = absorbed(x, got);
        }
    }
//! *
    result[thread()] = x;
}

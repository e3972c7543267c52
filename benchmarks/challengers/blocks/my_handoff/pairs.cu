// Two rows at once, as words of twice the size: half of the barriers and half of the accesses. Producers fill two rows, and
// begin with the next two while these are read.
#include "copied/syncthreads-pairs.cuh"
#include "roles.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS handoff_syncthreads_pairs(const T* values, T* result, int iterations) {
    using namespace shflbench::syncthreads_pairs;
    __shared__ Rows<BLOCK> rows;
    T x = values[thread()];
    if (is_producer()) {
        T first = x;
        REPEAT(iterations) {
            x = produce(x);
            if (iteration % 2 == 0) first = x;
            else put({first, x}, iteration - 1, rows);
        }
        if (iterations % 2 == 1) put({first, x}, iterations - 1, rows);
    } else {
        Pair got[PRODUCERS];
        REPEAT(iterations) {
            const bool is_first = iteration % 2 == 0;
            if (is_first) get(got, iteration, iterations, rows);
            T row[PRODUCERS];
#pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) row[i] = is_first ? got[i].first : got[i].second;
            x = absorb(x, row);
        }
    }
    result[thread()] = x;
}

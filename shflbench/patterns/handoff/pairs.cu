// Two rows at once, as words of twice the size: half of the barriers and half of the accesses. Producers fill two rows, and
// begin with the next two while these are read.
#include "copied/syncthreads-pairs-ahead.cuh"
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

// The consumer absorbs two rows while the next two are on their way from shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_syncthreads_pairs_ahead(const T* values, T* result, int iterations) {
    using namespace shflbench::syncthreads_pairs_ahead;
    __shared__ Rows<BLOCK> rows;
    T x = values[thread()];
    if (is_producer()) {
        T first = x;
        REPEAT(iterations) {
            x = produce(x);
            if (iteration % 2 == 0) first = x;
            else put({first, x}, rows);
        }
        if (iterations % 2 == 1) put({first, x}, rows);
    } else {
        Pair got[PRODUCERS];
        const auto use_row = [&](T Pair::* member) {
            T row[PRODUCERS];
#pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) row[i] = got[i].*member;
            x = absorb(x, row);
        };
        const auto use_both = [&](const Pair (&)[PRODUCERS]) {
            use_row(&Pair::first);
            use_row(&Pair::second);
        };
        REPEAT(iterations) {
            if (iteration % 2 == 0) get(got, iteration, rows, use_both);
        }
        if (iterations > 0) use_row(&Pair::first);
        if (iterations > 0 && iterations % 2 == 0) use_row(&Pair::second);
    }
    result[thread()] = x;
}

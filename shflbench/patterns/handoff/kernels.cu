// Some warps of a block hand values over to another warp through shared memory, row by row.
#include "copied/flag.cuh"
#include "copied/mbarrier.cuh"
#include "copied/mbarrier-once.cuh"
#include "copied/mbarrier-threads.cuh"
#include "copied/named.cuh"
#include "copied/syncthreads-ahead.cuh"
#include "copied/syncthreads-two-ahead.cuh"
#include "copied/syncthreads.cuh"
#include "roles.cuh"
#include "shflbench.cuh"

// A barrier of the block after a row is written. With one stage, a second one before it is written again; with two, the
// next barrier comes between.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_syncthreads(const T* values, T* result, int iterations) {
    __shared__ shflbench::syncthreads::Rows<BLOCK> rows;
    T x = values[thread()];
    REPEAT(iterations) {
        shflbench::syncthreads::hand_over(
            iteration, rows,
            [&] { return x = produce(x); },
            [&](const T (&got)[PRODUCERS]) { x = absorb(x, got); }
        );
    }
    result[thread()] = x;
}

// The same barriers in a loop per role: the consumer absorbs a row while the next one is on its way from shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_syncthreads_ahead(const T* values, T* result, int iterations) {
    using namespace shflbench::syncthreads_ahead;
    __shared__ Rows<BLOCK> rows;
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) put(x = produce(x), iteration, rows);
    } else {
        T got[PRODUCERS];
        const auto use = [&](const T (&row)[PRODUCERS]) { x = absorb(x, row); };
        REPEAT(iterations) get(got, iteration, rows, use);
        if (iterations > 0) use(got);
    }
    result[thread()] = x;
}

// The consumer absorbs a row two rows after it has begun to load it: it does not wait for a load.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_syncthreads_two_ahead(const T* values, T* result, int iterations) {
    using namespace shflbench::syncthreads_two_ahead;
    __shared__ Rows<BLOCK> rows;
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) put(x = produce(x), iteration, rows);
    } else {
        Loaded<BLOCK> loaded;
        const auto use = [&](const T (&row)[PRODUCERS]) { x = absorb(x, row); };
        REPEAT(iterations) get(loaded, iteration, rows, use);
        use_last(loaded, iterations, use);
    }
    result[thread()] = x;
}

// Two named barriers per stage: at `full`, producers arrive and the consumer waits; at `empty`, it is the reverse. Whoever
// arrives does not wait.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_named(const T* values, T* result, int iterations) {
    using namespace shflbench::named;
    __shared__ Rows<BLOCK> rows;
    produce_and_consume(
        values, result, iterations,
        [&](T x, int number) { put(x, number, rows); },
        [&](T (&got)[PRODUCERS], int number) { get(got, number, iterations, rows); }
    );
}

// The same with barriers in shared memory, at which lanes poll. One lane arrives for its warp.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_mbarrier(const T* values, T* result, int iterations) {
    using namespace shflbench::mbarrier;
    __shared__ Rows<BLOCK> rows;
    init(rows);
    produce_and_consume(
        values, result, iterations,
        [&](T x, int number) { put(x, number, rows); },
        [&](T (&got)[PRODUCERS], int number) { get(got, number, rows); }
    );
}

// Every thread arrives.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_mbarrier_threads(const T* values, T* result, int iterations) {
    using namespace shflbench::mbarrier_threads;
    __shared__ Rows<BLOCK> rows;
    init(rows);
    produce_and_consume(
        values, result, iterations,
        [&](T x, int number) { put(x, number, rows); },
        [&](T (&got)[PRODUCERS], int number) { get(got, number, rows); }
    );
}

// The producers meet at a named barrier, and one thread arrives for all of them.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_mbarrier_once(const T* values, T* result, int iterations) {
    using namespace shflbench::mbarrier_once;
    __shared__ Rows<BLOCK> rows;
    init(rows);
    produce_and_consume(
        values, result, iterations,
        [&](T x, int number) { put(x, number, rows); },
        [&](T (&got)[PRODUCERS], int number) { get(got, number, rows); }
    );
}

// The same with a counter of rows per warp, which its lane 0 publishes. One lane polls a counter for its warp.
template <typename T>
__global__ void LAUNCH_BOUNDS handoff_flag(const T* values, T* result, int iterations) {
    using namespace shflbench::flag;
    __shared__ Rows<BLOCK> rows;
    init(rows);
    produce_and_consume(
        values, result, iterations,
        [&](T x, int number) { put(x, number, rows); },
        [&](T (&got)[PRODUCERS], int number) { get(got, number, rows); }
    );
}

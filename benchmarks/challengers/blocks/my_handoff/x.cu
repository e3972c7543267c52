// Challengers of handoff.
#include "roles.cuh"
#include "shflbench.cuh"

__device__ inline void sync_block() { asm volatile("bar.sync 0;" ::: "memory"); }

// As syncthreads-ahead, but the consumer absorbs a row two barriers after it has begun to load it, and right after a
// barrier: nothing waits for a load.
#if OPTION_STAGES == 2
constexpr int STAGES = 2;
#else
constexpr int STAGES = 1;
#endif

template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_two_ahead(const T* values, T* result, int iterations) {
    __shared__ T rows[STAGES][PRODUCERS][WARP];
    T x = values[thread()];
    if (is_producer()) {
        T* const own = &rows[0][threadIdx.x / WARP][lane()];
        REPEAT(iterations) {
            own[iteration % STAGES * PRODUCERS * WARP] = x = produce(x);
            sync_block();
            if (STAGES == 1) sync_block();
        }
    } else {
        T older[PRODUCERS], newer[PRODUCERS];
        REPEAT(iterations) {
            sync_block();
            T next[PRODUCERS];
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) next[i] = rows[iteration % STAGES][i][lane()];
            if (STAGES == 1) sync_block();
            if (iteration > 1) x = absorb(x, older);
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) {
                older[i] = newer[i];
                newer[i] = next[i];
            }
        }
        if (iterations > 1) x = absorb(x, older);
        if (iterations > 0) x = absorb(x, newer);
    }
    result[thread()] = x;
}

// The consumer absorbs the row before last before it arrives at the barrier at which the next row is ready, and between
// this barrier and the next it only loads: producers never wait for it but there.
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_load_first(const T* values, T* result, int iterations) {
    __shared__ T rows[STAGES][PRODUCERS][WARP];
    T x = values[thread()];
    if (is_producer()) {
        T* const own = &rows[0][threadIdx.x / WARP][lane()];
        T next = produce(x);
        REPEAT(iterations) {
            own[iteration % STAGES * PRODUCERS * WARP] = x = next;
            sync_block();
            next = produce(x);
            if (STAGES == 1) sync_block();
        }
    } else {
        T got[PRODUCERS];
        REPEAT(iterations) {
            sync_block();
            // The row before is in registers; its additions are behind the barrier, which ends some clocks after it
            // was issued, and in front of the loads.
            if (iteration > 0) x = absorb(x, got);
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) got[i] = rows[iteration % STAGES][i][lane()];
            if (STAGES == 1) sync_block();
        }
        if (iterations > 0) x = absorb(x, got);
    }
    result[thread()] = x;
}

// Values of all producers of a lane next to each other: the consumer loads them at once. Stores have conflicts.
template <typename T>
struct alignas(PRODUCERS == 4 ? 16 : PRODUCERS == 2 ? 8 : 4) Column {
    T x[PRODUCERS];
};
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_wide_ahead(const T* values, T* result, int iterations) {
    __shared__ Column<T> rows[STAGES][WARP];
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            rows[iteration % STAGES][lane()].x[threadIdx.x / WARP] = x = produce(x);
            sync_block();
            if (STAGES == 1) sync_block();
        }
    } else {
        Column<T> got;
        REPEAT(iterations) {
            sync_block();
            const Column<T> next = rows[iteration % STAGES][lane()];
            if (STAGES == 1) sync_block();
            if (iteration > 0) x = absorb(x, got.x);
            got = next;
        }
        if (iterations > 0) x = absorb(x, got.x);
    }
    result[thread()] = x;
}

// The same two barriers ahead.
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_wide_two_ahead(const T* values, T* result, int iterations) {
    __shared__ Column<T> rows[STAGES][WARP];
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            rows[iteration % STAGES][lane()].x[threadIdx.x / WARP] = x = produce(x);
            sync_block();
            if (STAGES == 1) sync_block();
        }
    } else {
        Column<T> older, newer;
        REPEAT(iterations) {
            sync_block();
            const Column<T> next = rows[iteration % STAGES][lane()];
            if (STAGES == 1) sync_block();
            if (iteration > 1) x = absorb(x, older.x);
            older = newer;
            newer = next;
        }
        if (iterations > 1) x = absorb(x, older.x);
        if (iterations > 0) x = absorb(x, newer.x);
    }
    result[thread()] = x;
}

// Two kinds of barriers: all threads wait until a row is full; that it is empty, the consumer only tells.
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_tell_empty(const T* values, T* result, int iterations) {
    __shared__ T rows[STAGES][PRODUCERS][WARP];
    T x = values[thread()];
    if (is_producer()) {
        T* const own = &rows[0][threadIdx.x / WARP][lane()];
        REPEAT(iterations) {
            own[iteration % STAGES * PRODUCERS * WARP] = x = produce(x);
            sync_block();
            if (STAGES == 1) asm volatile("bar.sync 1, %0;" :: "n"(BLOCK) : "memory");
        }
    } else {
        T got[PRODUCERS];
        REPEAT(iterations) {
            sync_block();
            T next[PRODUCERS];
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) next[i] = rows[iteration % STAGES][i][lane()];
            if (STAGES == 1) asm volatile("bar.arrive 1, %0;" :: "n"(BLOCK) : "memory");
            if (iteration > 0) x = absorb(x, got);
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) got[i] = next[i];
        }
        if (iterations > 0) x = absorb(x, got);
    }
    result[thread()] = x;
}

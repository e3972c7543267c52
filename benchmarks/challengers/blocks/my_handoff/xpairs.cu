// Challengers of handoff with two stages, which are used at once.
#include "roles.cuh"
#include "shflbench.cuh"

__device__ inline void sync_block() { asm volatile("bar.sync 0;" ::: "memory"); }

// As syncthreads-pairs, but the consumer absorbs two rows while the next two are on their way from shared memory. Loops
// are written for two rows per pass; TELL: that rows have been read, the consumer only tells.
template <bool TELL, typename T>
__device__ void by_pairs(const T* values, T* result, int iterations) {
    struct alignas(8) Pair { T first, second; };
    __shared__ Pair rows[PRODUCERS][WARP];
    T x = values[thread()];
    if (is_producer()) {
        Pair* const own = &rows[threadIdx.x / WARP][lane()];
        T first = x;
        REPEAT(iterations) {
            x = produce(x);
            if (iteration % 2 == 0) {
                first = x;
            } else {
                *own = {first, x};
                sync_block();
                if constexpr (TELL) asm volatile("bar.sync 1, %0;" :: "n"(BLOCK) : "memory");
                else sync_block();
            }
        }
        if (iterations % 2 == 1) {
            *own = {first, x};
            sync_block();
        }
    } else {
        Pair got[PRODUCERS];
        const auto use = [&] {
            T row[PRODUCERS];
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) row[i] = got[i].first;
            x = absorb(x, row);
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) row[i] = got[i].second;
            x = absorb(x, row);
        };
        REPEAT(iterations) {
            if (iteration % 2 == 1) {
                sync_block();
                Pair next[PRODUCERS];
                #pragma unroll
                for (int i = 0; i < PRODUCERS; ++i) next[i] = rows[i][lane()];
                if constexpr (TELL) asm volatile("bar.arrive 1, %0;" :: "n"(BLOCK) : "memory");
                else sync_block();
                if (iteration > 1) use();
                #pragma unroll
                for (int i = 0; i < PRODUCERS; ++i) got[i] = next[i];
            }
        }
        if (iterations > 1) use();
        if (iterations % 2 == 1) {
            sync_block();
            T row[PRODUCERS];
            #pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) row[i] = rows[i][lane()].first;
            x = absorb(x, row);
        }
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_pairs_ahead(const T* values, T* result, int iterations) {
    by_pairs<false>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_pairs_tell(const T* values, T* result, int iterations) {
    by_pairs<true>(values, result, iterations);
}

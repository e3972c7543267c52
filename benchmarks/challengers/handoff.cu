// Challengers of `handoff`.
#include "roles.cuh"
#include "shflbench.cuh"

constexpr int FULL = 0, EMPTY = FULL + STAGES;
template <int BARRIER>
__device__ void named_arrive() { asm volatile("bar.arrive %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }
template <int BARRIER>
__device__ void named_wait() { asm volatile("bar.sync %0, %1;" :: "n"(BARRIER), "n"(BLOCK) : "memory"); }
template <int FIRST>
__device__ void named_arrive(int stage) { stage == 0 ? named_arrive<FIRST>() : named_arrive<FIRST + STAGES - 1>(); }
template <int FIRST>
__device__ void named_wait(int stage) { stage == 0 ? named_wait<FIRST>() : named_wait<FIRST + STAGES - 1>(); }

// A row in registers, which a consumer absorbs after it has signaled for and begun to load the next one.
template <typename T>
struct Row {
    T got[PRODUCERS];

    __device__ Row() {}
    __device__ Row(const Stages<T>& stages, int stage) {
#pragma unroll
        for (int i = 0; i < PRODUCERS; ++i) got[i] = stages.value[stage][i][lane()];
    }
    __device__ T absorb(T state) const {
#pragma unroll
        for (int i = 0; i < PRODUCERS; ++i) state = T(unsigned(state) * 0x9E3779B1u + unsigned(got[i]));
        return state;
    }
};

// Named barriers as in `named`, but the consumer absorbs a row while the next one is on its way from shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_named_ahead(const T* values, T* result, int iterations) {
    static_assert(STAGES <= 2);
    __shared__ Stages<T> stages;
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            const int stage = stage_of(iteration);
            if (iteration >= STAGES) named_wait<EMPTY>(stage);
            stages.put(stage, x = produce(x));
            named_arrive<FULL>(stage);
        }
    } else {
        Row<T> last;
        REPEAT(iterations) {
            const int stage = stage_of(iteration);
            named_wait<FULL>(stage);
            const Row<T> row(stages, stage);
            if (iteration < iterations - STAGES) named_arrive<EMPTY>(stage);
            if (iteration > 0) x = last.absorb(x);
            last = row;
        }
        if (iterations > 0) x = last.absorb(x);
    }
    result[thread()] = x;
}

// Barriers of the block as in `syncthreads`, and the same order of the consumer.
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_sync_ahead(const T* values, T* result, int iterations) {
    __shared__ Stages<T> stages;
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            stages.put(stage_of(iteration), x = produce(x));
            asm volatile("barrier.sync.aligned 0;" ::: "memory");
            if (STAGES == 1) asm volatile("barrier.sync.aligned 0;" ::: "memory");
        }
    } else {
        Row<T> last;
        REPEAT(iterations) {
            asm volatile("barrier.sync.aligned 0;" ::: "memory");
            const Row<T> row(stages, stage_of(iteration));
            if (STAGES == 1) asm volatile("barrier.sync.aligned 0;" ::: "memory");
            if (iteration > 0) x = last.absorb(x);
            last = row;
        }
        if (iterations > 0) x = last.absorb(x);
    }
    result[thread()] = x;
}

// A value and the number of its row in one word: a thread that loads the number has the value, too. All accesses are relaxed
// and of a whole word, so that the order of memory does not matter for the data.
__device__ inline void store_numbered(unsigned long long* slot, int x, int number) {
    const unsigned long long word = (unsigned long long)unsigned(number) << 32 | unsigned(x);
    asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" :: "r"(shared_address(slot)), "l"(word) : "memory");
}
__device__ inline unsigned long long load_numbered(const unsigned long long* slot) {
    unsigned long long word;
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(word) : "r"(shared_address(slot)) : "memory");
    return word;
}
__device__ inline void publish(int* counter, int count) {
    asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" :: "r"(shared_address(counter)), "r"(count) : "memory");
}
__device__ inline int observe(const int* counter) {
    int count;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(count) : "r"(shared_address(counter)) : "memory");
    return count;
}
struct Numbered {
    unsigned long long slot[STAGES][PRODUCERS][WARP];

    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < STAGES; ++i) {
            if (is_producer()) slot[i][warp()][lane()] = ~0ull;
        }
    }
    // Poll the words of a row; they are all loaded in each try.
    __device__ void wait(unsigned (&got)[PRODUCERS], int stage, int number) const {
        bool is_complete;
        do {
            is_complete = true;
            unsigned long long word[PRODUCERS];
#pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) word[i] = load_numbered(&slot[stage][i][lane()]);
#pragma unroll
            for (int i = 0; i < PRODUCERS; ++i) {
                is_complete &= int(word[i] >> 32) == number;
                got[i] = unsigned(word[i]);
            }
        } while (!is_complete);
    }
};
template <typename T>
__device__ T absorb(T state, const unsigned (&got)[PRODUCERS]) {
#pragma unroll
    for (int i = 0; i < PRODUCERS; ++i) state = T(unsigned(state) * 0x9E3779B1u + got[i]);
    return state;
}

// No barrier in the loop: each consuming thread polls the words of its lane, and says in a counter how many rows it has. A
// producer polls the counter of its lane. Whoever overwrites a word has seen a count that its reader wrote because it had the word.
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_numbered(const T* values, T* result, int iterations) {
    __shared__ Numbered rows;
    __shared__ int consumed[WARP];
    rows.clear();
    if (!is_producer()) consumed[lane()] = 0;
    __syncthreads();
    T x = values[thread()];
    if (is_producer()) {
        int seen = 0;
        REPEAT(iterations) {
            x = produce(x);
            while (seen < iteration + 1 - STAGES) seen = observe(&consumed[lane()]);
            store_numbered(&rows.slot[stage_of(iteration)][warp()][lane()], x, iteration);
        }
    } else {
        REPEAT(iterations) {
            unsigned got[PRODUCERS];
            rows.wait(got, stage_of(iteration), iteration);
            publish(&consumed[lane()], iteration + 1);
            x = absorb(x, got);
        }
    }
    result[thread()] = x;
}

// The same words, but a named barrier says that a row was read: the consumer arrives without waiting.
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_numbered_named(const T* values, T* result, int iterations) {
    __shared__ Numbered rows;
    rows.clear();
    asm volatile("bar.sync 0;" ::: "memory");
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) {
            x = produce(x);
            if (iteration >= STAGES) named_wait<1>(stage_of(iteration));
            store_numbered(&rows.slot[stage_of(iteration)][warp()][lane()], x, iteration);
        }
    } else {
        REPEAT(iterations) {
            unsigned got[PRODUCERS];
            rows.wait(got, stage_of(iteration), iteration);
            __syncwarp();
            if (iteration < iterations - STAGES) named_arrive<1>(stage_of(iteration));
            x = absorb(x, got);
        }
    }
    result[thread()] = x;
}

#if OPTION_STAGES == 2
// Both rows at once, as one word of 8 bytes: half of the barriers and accesses. Producers fill the two rows, and begin with the
// next two when these have been read.
template <typename T>
struct Pairs {
    int2 value[PRODUCERS][WARP];

    __device__ void put(int first, int second) { value[warp()][lane()] = {first, second}; }
    __device__ void get(unsigned (&first)[PRODUCERS], unsigned (&second)[PRODUCERS]) const {
#pragma unroll
        for (int i = 0; i < PRODUCERS; ++i) {
            const int2 both = value[i][lane()];
            first[i] = both.x;
            second[i] = both.y;
        }
    }
};
template <bool NAMED, typename T>
__device__ void in_pairs(const T* values, T* result, int iterations) {
    __shared__ Pairs<T> pair;
    const auto written = [] {
        if (NAMED) is_producer() ? named_arrive<0>() : named_wait<0>();
        else asm volatile("barrier.sync.aligned 0;" ::: "memory");
    };
    const auto read = [] {
        if (NAMED) is_producer() ? named_wait<1>() : named_arrive<1>();
        else asm volatile("barrier.sync.aligned 0;" ::: "memory");
    };
    T x = values[thread()];
    if (is_producer()) {
        T first = x;
        REPEAT(iterations) {
            x = produce(x);
            if (iteration % 2 == 0) {
                first = x;
            } else {
                if (iteration > 1) read();
                pair.put(first, x);
                written();
            }
        }
        if (iterations % 2 == 1) {
            if (iterations > 1) read();
            pair.put(first, x);
            written();
        }
    } else {
        unsigned first[PRODUCERS], second[PRODUCERS];
        REPEAT(iterations) {
            if (iteration % 2 == 0) {
                written();
                pair.get(first, second);
                if (iteration < iterations - 2) read();
                x = absorb(x, first);
            } else {
                x = absorb(x, second);
            }
        }
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_pairs(const T* values, T* result, int iterations) {
    in_pairs<true>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_handoff_x_pairs_sync(const T* values, T* result, int iterations) {
    in_pairs<false>(values, result, iterations);
}
#endif

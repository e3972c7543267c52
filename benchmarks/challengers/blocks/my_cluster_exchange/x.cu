// Challengers of cluster-exchange.
#include "cluster.cuh"
#include "shflbench.cuh"

__device__ inline void red_async(unsigned address, unsigned x, unsigned barrier) {
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
                 :: "r"(address), "r"(x), "r"(barrier) : "memory");
}
__device__ inline unsigned load_relaxed(const unsigned* slot) {
    unsigned x;
    asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(x) : "r"(shared_address(slot)) : "memory");
    return x;
}

// A slot is never cleared: what has come is what it has grown by.
struct Slot {
    unsigned *own, before, there, full_there, parity;
    unsigned long long* full;
};

// One barrier per slot and COUNT threads, whose first one expects the bytes of all of them.
template <int COUNT, typename T>
__device__ void exchange_by_red(const T* values, T* result, int iterations) {
    constexpr int BARRIERS = BLOCK / COUNT;
    __shared__ unsigned slots[2][BLOCK];
    __shared__ unsigned long long full[2][BARRIERS];
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = 0;
    const int of = threadIdx.x / COUNT;
    if (threadIdx.x % COUNT == 0) {
        for (int i = 0; i < 2; ++i) {
            init(&full[i][of], 1);
            arrive_expecting(&full[i][of], COUNT * 4);
        }
        publish_init();
    }
    __syncwarp();
    const unsigned partner = BLOCKS - 1 - rank_in_cluster();
    Slot now = {&slots[0][threadIdx.x], 0, address_in(partner, &slots[0][threadIdx.x]), address_in(partner, &full[0][of]), 0, &full[0][of]};
    Slot next = {&slots[1][threadIdx.x], 0, address_in(partner, &slots[1][threadIdx.x]), address_in(partner, &full[1][of]), 0, &full[1][of]};
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        red_async(now.there, unsigned(x), now.full_there);
        wait(now.full, now.parity);
        if (threadIdx.x % COUNT == 0) arrive_expecting(now.full, COUNT * 4);
        const unsigned sum = load_relaxed(now.own);
        x = mix(x, T(sum - now.before));
        now.before = sum;
        now.parity ^= 1;
        const Slot old = now;
        now = next;
        next = old;
    }
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_red_async(const T* values, T* result, int iterations) {
    exchange_by_red<BLOCK>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_red_async_warp(const T* values, T* result, int iterations) {
    exchange_by_red<WARP>(values, result, iterations);
}

// As x-red-async-warp, but words are of 64 bits, and what comes is the value and one more in the upper half: a thread that
// sees its word grow has the value, too, so that the wait, which acquires for its block only, need not order the load.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_red_async_word(const T* values, T* result, int iterations) {
    constexpr int WARPS = BLOCK / WARP;
    __shared__ unsigned long long slots[2][BLOCK];
    __shared__ unsigned long long full[2][WARPS];
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = 0;
    const int of = threadIdx.x / WARP;
    if (lane() == 0) {
        for (int i = 0; i < 2; ++i) {
            init(&full[i][of], 1);
            arrive_expecting(&full[i][of], WARP * 8);
        }
        publish_init();
    }
    __syncwarp();
    const unsigned partner = BLOCKS - 1 - rank_in_cluster();
    const unsigned there = address_in(partner, &slots[0][threadIdx.x]), full_there = address_in(partner, &full[0][of]);
    unsigned long long before = 0, before_next = 0;
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned slot = iteration % 2;
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
                     :: "r"(there + slot * unsigned(sizeof slots[0])), "l"(1ull << 32 | unsigned(x)),
                        "r"(full_there + slot * unsigned(sizeof full[0])) : "memory");
        int is_complete;
        do {
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                         : "=r"(is_complete) : "r"(shared_address(&full[slot][of])), "r"(iteration / 2 % 2) : "memory");
        } while (!is_complete);
        if (lane() == 0) arrive_expecting(&full[slot][of], WARP * 8);
        unsigned long long word;
        do {
            asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(word) : "r"(shared_address(&slots[slot][threadIdx.x])) : "memory");
        } while (word == before);
        x = mix(x, T(unsigned(word - before)));
        before = word;
        swap(before, before_next);
    }
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

// Words of `numbered`; before it polls, a warp waits at a barrier in shared memory at which a lane of the other block's
// warp has arrived. Arrivals are relaxed: they order nothing, and only make it likely that the words have come.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_mbarrier_relaxed(const T* values, T* result, int iterations) {
    constexpr int WARPS = BLOCK / WARP;
    __shared__ unsigned long long slots[2][BLOCK];
    __shared__ unsigned long long full[2][WARPS];
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = ~0ull;
    const int of = threadIdx.x / WARP;
    if (lane() < 2) {
        init(&full[lane()][of], 1);
        publish_init();
    }
    __syncwarp();
    const unsigned partner = BLOCKS - 1 - rank_in_cluster();
    const unsigned there = address_in(partner, &slots[0][threadIdx.x]), full_there = address_in(partner, &full[0][of]);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned slot = iteration % 2;
        const unsigned long long sent = (unsigned long long)unsigned(iteration) << 32 | unsigned(x);
        asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" :: "r"(there + slot * unsigned(sizeof slots[0])), "l"(sent) : "memory");
        __syncwarp();
        if (lane() == 0) {
            asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];"
                         :: "r"(full_there + slot * unsigned(sizeof full[0])) : "memory");
        }
        int is_complete;
        do {
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                         : "=r"(is_complete) : "r"(shared_address(&full[slot][of])), "r"(iteration / 2 % 2) : "memory");
        } while (!is_complete);
        unsigned long long word;
        do {
            asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(word) : "r"(shared_address(&slots[slot][threadIdx.x])) : "memory");
        } while (int(word >> 32) != iteration);
        x = mix(x, T(word));
    }
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

// A thread stores its numbered word in its own shared memory, and polls that of the other block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_numbered_pull(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCK];
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = ~0ull;
    const unsigned there = address_in(BLOCKS - 1 - rank_in_cluster(), &slots[0][threadIdx.x]);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned slot = iteration % 2;
        const unsigned long long sent = (unsigned long long)unsigned(iteration) << 32 | unsigned(x);
        asm volatile("st.relaxed.cluster.shared::cta.u64 [%0], %1;" :: "r"(shared_address(&slots[slot][threadIdx.x])), "l"(sent) : "memory");
        unsigned long long word;
        do {
            asm volatile("ld.relaxed.cluster.shared::cluster.u64 %0, [%1];" : "=l"(word) : "r"(there + slot * unsigned(sizeof slots[0])) : "memory");
        } while (int(word >> 32) != iteration);
        x = mix(x, T(word));
    }
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

// In one block, as larger-block: V values per thread, of one rank, in one access; fewer warps meet.
template <int V, typename T>
__device__ void exchange_wide(const T* values, T* result, int iterations) {
    static_assert(sizeof(T) == 4);
    constexpr int THREADS = BLOCKS * BLOCK / V, PER_RANK = BLOCK / V;
    struct alignas(4 * V > 16 ? 16 : 4 * V) Row { T x[V]; };
    __shared__ Row rows[2][THREADS];
    const int rank = threadIdx.x / PER_RANK, place = threadIdx.x % PER_RANK;
    const int other = (BLOCKS - 1 - rank) * PER_RANK + place;
    Row own = reinterpret_cast<const Row*>(values)[blockIdx.x * THREADS + threadIdx.x];
    REPEAT(iterations) {
        rows[iteration % 2][threadIdx.x] = own;
        __syncthreads();
        const Row got = rows[iteration % 2][other];
        #pragma unroll
        for (int i = 0; i < V; ++i) own.x[i] = mix(own.x[i], got.x[i]);
    }
    reinterpret_cast<Row*>(result)[blockIdx.x * THREADS + threadIdx.x] = own;
}
template <typename T>
__global__ void my_cluster_exchange_x_larger_two(const T* values, T* result, int iterations) {
    exchange_wide<2>(values, result, iterations);
}
template <typename T>
__global__ void my_cluster_exchange_x_larger_four(const T* values, T* result, int iterations) {
    exchange_wide<4>(values, result, iterations);
}

// In one block: only the warps of two mirrored ranks meet, at a named barrier that the code of each pair names.
template <int PAIR, int COUNT>
__device__ inline void meet() { asm volatile("bar.sync %0, %1;" :: "n"(PAIR), "n"(COUNT) : "memory"); }

template <int PAIR, int PAIRS, int COUNT, typename T>
__device__ T exchange_of_pair(T x, T (*slots)[BLOCKS * BLOCK], int other, int pair, int iterations) {
    if constexpr (PAIR + 1 < PAIRS) {
        if (pair != PAIR) return exchange_of_pair<PAIR + 1, PAIRS, COUNT>(x, slots, other, pair, iterations);
    }
    REPEAT(iterations) {
        slots[iteration % 2][threadIdx.x] = x;
        meet<PAIR, COUNT>();
        x = mix(x, slots[iteration % 2][other]);
    }
    return x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_exchange_x_larger_pairs(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCKS * BLOCK];
    const int rank = threadIdx.x / BLOCK, mirrored = BLOCKS - 1 - rank, lower = rank < mirrored ? rank : mirrored;
    constexpr int WARPS = BLOCK / WARP;
    const int pair = lower * WARPS + threadIdx.x % BLOCK / WARP;
    const int other = mirrored * BLOCK + threadIdx.x % BLOCK;
    T x = values[thread()];
    x = exchange_of_pair<0, BLOCKS / 2 * WARPS, 2 * WARP>(x, slots, other, pair, iterations);
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_exchange_x_larger_ranks(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCKS * BLOCK];
    const int rank = threadIdx.x / BLOCK, mirrored = BLOCKS - 1 - rank, lower = rank < mirrored ? rank : mirrored;
    const int other = mirrored * BLOCK + threadIdx.x % BLOCK;
    T x = values[thread()];
    x = exchange_of_pair<0, BLOCKS / 2, 2 * BLOCK>(x, slots, other, lower, iterations);
    result[thread()] = x;
}

// Challengers of `cluster-exchange`: in clusters, and in larger blocks.
#include "cluster.cuh"

constexpr unsigned long long NO_NUMBER = ~0ull;  // the slot is empty
__device__ inline unsigned partner() { return BLOCKS - 1 - rank_in_cluster(); }
// Of the threads of a larger block: the one with which `own` exchanges.
__device__ inline int of_partner(int own) { return (BLOCKS - 1 - own / BLOCK) * BLOCK + own % BLOCK; }

// A larger block in which only two warps wait for each other, at a named barrier of their own: 16 suffice for 8 blocks of 128.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_exchange_x_pair_barriers(const T* values, T* result, int iterations) {
    static_assert(BLOCKS * BLOCK / WARP / 2 <= 16);
    __shared__ T slots[2][BLOCKS * BLOCK];
    const int other = of_partner(threadIdx.x);
    const int barrier = min(int(threadIdx.x), other) / WARP;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[iteration % 2][threadIdx.x] = x;
        asm volatile("bar.sync %0, 64;" :: "r"(barrier) : "memory");
        x = mix(x, slots[iteration % 2][other]);
    }
    result[thread()] = x;
}

// A larger block without a barrier: value and number of the iteration in one word, which the other thread polls.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_exchange_x_pair_numbered(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCKS * BLOCK];
    const unsigned own = shared_address(&slots[0][threadIdx.x]), other = shared_address(&slots[0][of_partner(threadIdx.x)]);
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = NO_NUMBER;
    T x = values[thread()];
    __syncthreads();
    REPEAT(iterations) {
        const unsigned offset = iteration % 2 * unsigned(sizeof slots[0]);
        unsigned long long word = (unsigned long long)unsigned(iteration) << 32 | unsigned(x);
        asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" :: "r"(own + offset), "l"(word) : "memory");
        do {
            asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(word) : "r"(other + offset) : "memory");
        } while (int(word >> 32) != iteration);
        x = mix(x, T(int(word)));
    }
    result[thread()] = x;
}

// A larger block whose lanes take the places of both threads of a pair: lanes l and l + 16 exchange by a shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_exchange_x_same_warp(const T* values, T* result, int iterations) {
    const int lower = threadIdx.x / WARP * (WARP / 2) + lane() % (WARP / 2);
    const int place = blockIdx.x * (BLOCKS * BLOCK) + (lane() < WARP / 2 ? lower : of_partner(lower));
    T x = values[place];
    REPEAT(iterations) x = mix(x, shfl_xor(x, WARP / 2));
    result[place] = x;
}

// As `numbered`, but each thread stores in its own shared memory and polls that of the other block: where both store at about
// the same time, the first try finds the word, after one way there and back.
__device__ inline unsigned long long load_there(unsigned address) {
    unsigned long long word;
    asm volatile("ld.relaxed.cluster.shared::cluster.u64 %0, [%1];" : "=l"(word) : "r"(address) : "memory");
    return word;
}
__device__ inline void store_here(unsigned address, int x, int number) {
    const unsigned long long word = (unsigned long long)unsigned(number) << 32 | unsigned(x);
    asm volatile("st.relaxed.cluster.shared::cta.u64 [%0], %1;" :: "r"(address), "l"(word) : "memory");
}
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_numbered_pull(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCK];
    const unsigned here = shared_address(&slots[0][threadIdx.x]), there = address_in(partner(), &slots[0][threadIdx.x]);
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = NO_NUMBER;
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned offset = iteration % 2 * unsigned(sizeof slots[0]);
        store_here(here + offset, x, iteration);
        unsigned long long word;
        do word = load_there(there + offset);
        while (int(word >> 32) != iteration);
        x = mix(x, T(int(word)));
    }
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}
// The same with two loads on their way at a time: if the first one comes too early, the second one need not begin anew.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_numbered_pull_two(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCK];
    const unsigned here = shared_address(&slots[0][threadIdx.x]), there = address_in(partner(), &slots[0][threadIdx.x]);
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = NO_NUMBER;
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned offset = iteration % 2 * unsigned(sizeof slots[0]);
        store_here(here + offset, x, iteration);
        unsigned long long word = load_there(there + offset), next = load_there(there + offset);
        while (int(word >> 32) != iteration) {
            word = next;
            next = load_there(there + offset);
        }
        x = mix(x, T(int(word)));
    }
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

// red.async adds to the slot of the other thread and counts its bytes at a barrier there; a thread subtracts what the slot was.
// Nothing is overwritten, and additions and loads are relaxed and of the same word, so that they are no race. The next addition
// to a slot depends on a value that was sent after the slot had been read.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_exchange_x_red_async(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    __shared__ unsigned long long full[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 1);
        arrive_expecting(&full[threadIdx.x], sizeof slots[0]);
    }
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = 0;
    __syncwarp();
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]), full_there = address_in(partner(), full);
    T x = values[thread()];
    int had = 0, had_other = 0;  // what the slot of this iteration, and that of the next one, was
    cluster_sync();
    REPEAT(iterations) {
        const unsigned slot = iteration % 2;
        add_async(there + slot * unsigned(sizeof slots[0]), x, full_there + slot * unsigned(sizeof full[0]));
        wait(&full[slot], iteration / 2 % 2);
        if (threadIdx.x == 0) arrive_expecting(&full[slot], sizeof slots[0]);
        int has;
        asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];"
                     : "=r"(has) : "r"(shared_address(&slots[slot][threadIdx.x])) : "memory");
        x = mix(x, T(unsigned(has) - unsigned(had)));
        had = had_other;
        had_other = has;
    }
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

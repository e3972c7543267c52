// Threads of a block exchange a value per iteration with those of another block, the one of the mirrored rank.
//
// Two slots are used in turn: a thread writes one again only after the other block has written the one between, by which
// it says that it has read the first.
#include "cluster.cuh"

__device__ inline unsigned partner() { return BLOCKS - 1 - rank_in_cluster(); }

// Through global memory; the barrier of the cluster orders the accesses.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_global(const T* values, T* result, T* slots, int iterations) {
    const int own = thread(), of_partner = own + (int(partner()) - int(rank_in_cluster())) * BLOCK;
    const int threads = gridDim.x * BLOCK;
    T x = values[own];
    REPEAT(iterations) {
        T* slot = slots + iteration % 2 * threads;
        slot[of_partner] = x;
        cluster_sync();
        x = mix(x, slot[own]);
    }
    result[own] = x;
}

// Each thread stores in the shared memory of the other block, and loads from its own.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_barrier(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]);
    T x = values[thread()];
    cluster_sync();  // all blocks have started
    REPEAT(iterations) {
        store_at(there + iteration % 2 * unsigned(sizeof slots[0]), x);
        cluster_sync();
        x = mix(x, slots[iteration % 2][threadIdx.x]);
    }
    cluster_sync();  // no block ends while another one stores
    result[thread()] = x;
}

// Each thread stores in its own shared memory, and loads from that of the other block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_barrier_load(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]);
    T x = values[thread()];
    REPEAT(iterations) {
        slots[iteration % 2][threadIdx.x] = x;
        cluster_sync();
        x = mix(x, load_from<T>(there + iteration % 2 * unsigned(sizeof slots[0])));
    }
    cluster_sync();  // no block ends while another one loads
    result[thread()] = x;
}

// Only the two blocks wait for each other: a lane per warp arrives at a barrier in the shared memory of the other block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_mbarrier(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    __shared__ unsigned long long full[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], BLOCK / WARP);
        publish_init();
    }
    __syncwarp();
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]), full_there = address_in(partner(), full);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned slot = iteration % 2;
        store_at(there + slot * unsigned(sizeof slots[0]), x);
        __syncwarp();
        if (lane() == 0) arrive_at(full_there + slot * unsigned(sizeof full[0]));
        wait(&full[slot], iteration / 2 % 2);
        x = mix(x, slots[slot][threadIdx.x]);
    }
    cluster_sync();
    result[thread()] = x;
}

// A value and the number of its iteration in one word: a thread that loads the number has the value, too. All accesses are
// relaxed and of the whole word, so that neither needs a barrier or a fence to be no race.
__device__ inline void store_numbered(unsigned address, int x, int number) {
    const unsigned long long word = (unsigned long long)unsigned(number) << 32 | unsigned(x);
    asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" :: "r"(address), "l"(word) : "memory");
}
__device__ inline int load_numbered(const unsigned long long* slot, int number) {
    unsigned long long word;
    do {
        asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];" : "=l"(word) : "r"(shared_address(slot)) : "memory");
    } while (int(word >> 32) != number);
    return int(word);
}
constexpr unsigned long long NO_NUMBER = ~0ull;  // the slot is empty

// Each thread polls the word that the other block stores.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_numbered(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCK];
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]);
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = NO_NUMBER;
    T x = values[thread()];
    cluster_sync();  // slots are empty before another block stores
    REPEAT(iterations) {
        store_numbered(there + iteration % 2 * unsigned(sizeof slots[0]), x, iteration);
        x = mix(x, load_numbered(&slots[iteration % 2][threadIdx.x], iteration));
    }
    __syncwarp();
    cluster_sync();  // no block ends while another one stores
    result[thread()] = x;
}

// The same, but all blocks of the cluster meet in each iteration. Their arrival is relaxed: it need not order the words.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_barrier_relaxed(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCK];
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]);
    slots[0][threadIdx.x] = slots[1][threadIdx.x] = NO_NUMBER;
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        store_numbered(there + iteration % 2 * unsigned(sizeof slots[0]), x, iteration);
        cluster_arrive_relaxed();
        cluster_wait();
        x = mix(x, load_numbered(&slots[iteration % 2][threadIdx.x], iteration));
        __syncwarp();
    }
    cluster_sync();
    result[thread()] = x;
}

// Stores that count their bytes at the barrier; a second barrier says that the values have been read.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_store_async(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    __shared__ unsigned long long full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 1);
        init(&empty[threadIdx.x], BLOCK / WARP);
        publish_init();
    }
    __syncwarp();
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]);
    const unsigned full_there = address_in(partner(), full), empty_there = address_in(partner(), empty);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned slot = iteration % 2, turn = iteration / 2;
        if (threadIdx.x == 0) arrive_expecting(&full[slot], sizeof slots[0]);
        if (turn > 0) wait(&empty[slot], (turn - 1) % 2);
        store_async(there + slot * unsigned(sizeof slots[0]), x, full_there + slot * unsigned(sizeof full[0]));
        wait(&full[slot], turn % 2);
        x = mix(x, slots[slot][threadIdx.x]);
        __syncwarp();
        if (lane() == 0) arrive_at(empty_there + slot * unsigned(sizeof empty[0]));
    }
    cluster_sync();
    result[thread()] = x;
}

// UNSAFE: the same without the second barrier. A thread's next store depends on the value that it has read, and a block goes
// on when the stores of all threads of the other one have come, so that whoever writes a slot again could know that it has
// been read. But stores of this kind are weak, and their completion orders no earlier loads of the thread that began them.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_store_async_depends(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    __shared__ unsigned long long full[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 1);
        publish_init();
        arrive_expecting(&full[threadIdx.x], sizeof slots[0]);
    }
    __syncwarp();
    const unsigned there = address_in(partner(), &slots[0][threadIdx.x]), full_there = address_in(partner(), full);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) {
        const unsigned slot = iteration % 2;
        store_async(there + slot * unsigned(sizeof slots[0]), x, full_there + slot * unsigned(sizeof full[0]));
        wait(&full[slot], iteration / 2 % 2);
        if (threadIdx.x == 0) arrive_expecting(&full[slot], sizeof slots[0]);
        x = mix(x, slots[slot][threadIdx.x]);
    }
    cluster_sync();
    result[thread()] = x;
}

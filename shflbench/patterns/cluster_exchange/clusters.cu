// Threads of a block exchange a value per iteration with those of another block, the one of the mirrored rank; from
// sm_90 on.
//
// Two slots are used in turn: a thread writes one again only after the other block has written the one between, by which
// it says that it has read the first.
#include "cluster.cuh"
#include "copied/barrier-load.cuh"
#include "copied/barrier-relaxed.cuh"
#include "copied/barrier.cuh"
#include "copied/global.cuh"
#include "copied/mbarrier.cuh"
#include "copied/numbered.cuh"
#include "copied/red-async.cuh"
#include "copied/store-async.cuh"

// Through global memory; the barrier of the cluster orders the accesses.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_global(const T* values, T* result, T* slots, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::global::exchange<BLOCK>(x, slots, iteration));
    result[thread()] = x;
}

// Each thread stores in the shared memory of the other block, and loads from its own.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_barrier(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    const unsigned there = shflbench::barrier::in_other_block(&slots[0][threadIdx.x]);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) x = mix(x, shflbench::barrier::exchange(x, slots, there, iteration));
    cluster_sync();
    result[thread()] = x;
}

// Each thread stores in its own shared memory, and loads from that of the other block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_barrier_load(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    const unsigned there = shflbench::barrier_load::in_other_block(&slots[0][threadIdx.x]);
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::barrier_load::exchange(x, slots, there, iteration));
    cluster_sync();
    result[thread()] = x;
}

// Only the two blocks wait for each other: a lane per warp arrives at a barrier in the shared memory of the other block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_mbarrier(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    __shared__ unsigned long long full[2];
    const auto other = shflbench::mbarrier::prepare(slots, full);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) x = mix(x, shflbench::mbarrier::exchange(x, slots, full, other, iteration));
    cluster_sync();
    result[thread()] = x;
}

// Each thread polls the word that the other block stores: a value and the number of its iteration. A thread that loads the
// number has the value, too. All accesses are relaxed and of the whole word, so that neither needs a barrier or a fence to
// be no race.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_numbered(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCK];
    const unsigned there = shflbench::numbered::prepare(slots);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) x = mix(x, shflbench::numbered::exchange(x, slots, there, iteration));
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

// The same, but all blocks of the cluster meet in each iteration. Their arrival is relaxed: it need not order the words.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_barrier_relaxed(const T* values, T* result, int iterations) {
    __shared__ unsigned long long slots[2][BLOCK];
    const unsigned there = shflbench::barrier_relaxed::prepare(slots);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) x = mix(x, shflbench::barrier_relaxed::exchange(x, slots, there, iteration));
    cluster_sync();
    result[thread()] = x;
}

// Stores that count their bytes at the barrier; a second barrier says that the values have been read.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_store_async(const T* values, T* result, int iterations) {
    __shared__ T slots[2][BLOCK];
    __shared__ unsigned long long full[2], empty[2];
    const auto other = shflbench::store_async::prepare(slots, full, empty);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) x = mix(x, shflbench::store_async::exchange(x, slots, full, empty, other, iteration));
    cluster_sync();
    result[thread()] = x;
}

// Additions that count their bytes, at a barrier per warp. They are relaxed, and so are the loads. No load can get what
// depends on its own result, as all later additions to its slot do: no barrier need say that a slot has been read.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_exchange_red_async(const T* values, T* result, int iterations) {
    using namespace shflbench::red_async;
    __shared__ unsigned slots[2][BLOCK];
    __shared__ unsigned long long full[2][BLOCK / WARP];
    auto now = prepare(slots[0], full[0]), next = prepare(slots[1], full[1]);
    T x = values[thread()];
    cluster_sync();
    REPEAT(iterations) x = mix(x, exchange<BLOCK>(x, now, next));
    __syncwarp();
    cluster_sync();
    result[thread()] = x;
}

// UNSAFE: `store-async` without the second barrier. A thread's next store depends on the value that it has read, and a block goes
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
    const unsigned partner = BLOCKS - 1 - rank_in_cluster();
    const unsigned there = address_in(partner, &slots[0][threadIdx.x]), full_there = address_in(partner, full);
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

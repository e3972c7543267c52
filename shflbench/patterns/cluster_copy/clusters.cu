// Blocks of a cluster exchange words with the block of the mirrored rank; from sm_90 on.
//
// All but those of `global` have the words of two iterations in shared memory: a block writes one again only after it
// knows that the other block has read it.
#include "copied/bulk.cuh"
#include "copied/global.cuh"
#include "copied/pull-barrier.cuh"
#include "copied/push-barrier.cuh"
#include "copied/push-mbarrier.cuh"
#include "copied/store-async-arrivals.cuh"
#include "copied/store-async.cuh"
#include "member.cuh"

// Through global memory; a count per block says that its words have come.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_global(const T* values, T* result, T* slots, unsigned* counts, int iterations) {
    shflbench::global::Words<BLOCK> own, got{};
    load_words(own, values);
    REPEAT(iterations) {
        exchange(own, got, reinterpret_cast<uint4*>(slots), counts, iteration);
        mix_words(own, got);
    }
    if (threadIdx.x == 0) *shflbench::global::count_of(counts, blockIdx.x) = 0;
    store_words(own, result);
}

// Each thread stores its words in the shared memory of the other block, and loads those that came from its own.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_push_barrier(const T* values, T* result, int iterations) {
    shflbench::push_barrier::Words<BLOCK> own, got{};
    load_words(own, values);
    cluster_sync();
    REPEAT(iterations) {
        shflbench::push_barrier::exchange(own, got, shared<uint4>(), iteration);
        mix_words(own, got);
    }
    cluster_sync();
    store_words(own, result);
}

// Each thread stores its words in its own shared memory, and loads from that of the other block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_pull_barrier(const T* values, T* result, int iterations) {
    shflbench::pull_barrier::Words<BLOCK> own, got{};
    load_words(own, values);
    cluster_sync();
    REPEAT(iterations) {
        shflbench::pull_barrier::exchange(own, got, shared<uint4>(), iteration);
        mix_words(own, got);
    }
    cluster_sync();
    store_words(own, result);
}

// Only the two blocks wait for each other: a lane per warp arrives at a barrier in the shared memory of the other
// block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_push_mbarrier(const T* values, T* result, int iterations) {
    __shared__ unsigned long long full[2];
    shflbench::push_mbarrier::Words<BLOCK> own, got{};
    load_words(own, values);
    const auto barrier = shflbench::push_mbarrier::prepare<BLOCK>(full);
    cluster_sync();
    REPEAT(iterations) {
        shflbench::push_mbarrier::exchange(own, got, shared<uint4>(), barrier, iteration);
        mix_words(own, got);
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

// Stores that count their bytes at a barrier, which expects all of them; a second barrier says that the words have
// been read.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_store_async(const T* values, T* result, int iterations) {
    __shared__ unsigned long long full[2], empty[2];
    shflbench::store_async::Words<BLOCK> own, got{};
    load_words(own, values);
    const auto barriers = shflbench::store_async::prepare<BLOCK>(full, empty);
    cluster_sync();
    REPEAT(iterations) {
        shflbench::store_async::exchange(own, got, shared<uint4>(), barriers, iteration);
        mix_words(own, got);
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

// The same, but the block that stores announces the bytes, by an arrival that also says that it has read its own words.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_store_async_arrivals(const T* values, T* result, int iterations) {
    __shared__ unsigned long long full[2];
    shflbench::store_async_arrivals::Words<BLOCK> own, got{};
    load_words(own, values);
    const auto barrier = shflbench::store_async_arrivals::prepare<BLOCK>(full);
    cluster_sync();
    REPEAT(iterations) {
        shflbench::store_async_arrivals::exchange(own, got, shared<uint4>(), barrier, iteration);
        mix_words(own, got);
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

// UNSAFE: `store-async` whose arrivals and waits have the scope of the block, which is the default of PTX. They order
// nothing between the threads of two blocks: that a block has read its words is not said to the other one.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_store_async_cta(const T* values, T* result, int iterations) {
    exchange_words<Choice<Move::ASYNC, 128, Sync::WARPS, true, false, false, false>>(values, result, iterations);
}

// One bulk copy per iteration, which counts its bytes as the stores do.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_bulk(const T* values, T* result, int iterations) {
    __shared__ unsigned long long full[2];
    shflbench::bulk::Words<BLOCK> own, got{};
    load_words(own, values);
    const auto barrier = shflbench::bulk::prepare<BLOCK>(full);
    cluster_sync();
    REPEAT(iterations) {
        shflbench::bulk::exchange(own, got, shared<uint4>(), barrier, iteration);
        mix_words(own, got);
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

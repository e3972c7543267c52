// Blocks of a cluster exchange words with the block of the mirrored rank; from sm_90 on.
//
// All but those of `global` have the words of two iterations in shared memory: a block writes one again only after it
// knows that the other block has read it.
#include "copied/bulk.cuh"
#include "copied/global.cuh"
#include "copied/numbered.cuh"
#include "copied/pull-barrier.cuh"
#include "copied/push-barrier.cuh"
#include "copied/push-mbarrier.cuh"
#include "copied/red-async.cuh"
#include "copied/store-async-arrivals.cuh"
#include "copied/store-async.cuh"
#include "member.cuh"

// The words of a thread, as each copied piece of code has them.
template <typename Words, typename T>
__device__ void load_words(Words& own, const T* values) {
    Part<uint4> part;
    part.load(values);
    memcpy(own.word, part.words, sizeof own.word);
}
template <typename Words, typename T>
__device__ void store_words(const Words& own, T* result) {
    Part<uint4> part;
    memcpy(part.words, own.word, sizeof own.word);
    part.store(result);
}
template <typename Words>
__device__ void mix_words(Words& own, const Words& got) {
#pragma unroll
    for (int i = 0; i < Words::COUNT; ++i) own.word[i] = mix(own.word[i], got.word[i]);
}

// Through global memory; a count per block says that its words have come.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_global(const T* values, T* result, T* slots, unsigned* counts, int iterations) {
    using namespace shflbench::global;
    shflbench::global::Words<BLOCK> own, got{};
    load_words(own, values);
    REPEAT(iterations) {
        exchange(own, got, reinterpret_cast<uint4*>(slots), counts, iteration);
        mix_words(own, got);
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = 0;
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

// Each thread polls what the other block stores: 32 bits and the number of the iteration in one word. Accesses are
// relaxed and of whole words, so that neither needs a barrier or a fence to be no race.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_numbered(const T* values, T* result, int iterations) {
    unsigned long long* const slots = shared<unsigned long long>();
    shflbench::numbered::Words<BLOCK> own, got{};
    load_words(own, values);
    shflbench::numbered::prepare<BLOCK>(slots);
    cluster_sync();
    REPEAT(iterations) {
        shflbench::numbered::exchange(own, got, slots, iteration);
        mix_words(own, got);
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

// Additions that count their bytes, at a barrier per warp. They are relaxed, and so are the loads. No load can get
// what depends on its own result, as all later additions to its slot do: no barrier need say that a slot has been
// read.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_red_async(const T* values, T* result, int iterations) {
    using namespace shflbench::red_async;
    constexpr int WARPS = BLOCK / WARP, SLOTS = BYTES / int(sizeof(unsigned long long));
    __shared__ unsigned long long full[2 * WARPS];
    unsigned long long* const slots = shared<unsigned long long>();
    shflbench::red_async::Words<BLOCK> own, got{};
    load_words(own, values);
    auto now = prepare<BLOCK>(slots, full), next = prepare<BLOCK>(slots + SLOTS, full + WARPS);
    cluster_sync();
    REPEAT(iterations) {
        exchange(own, got, now, next);
        mix_words(own, got);
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

// The exchange of `clusters.cu` by relaxed accesses, for few words per thread; from sm_90 on.
#include "cluster.cuh"
#include "copied/numbered.cuh"
#include "copied/red-async.cuh"
#include "words.cuh"

// Each thread polls what the other block stores: 32 bits and the number of the iteration in one word. Accesses are
// relaxed and of whole words, so that neither needs a barrier or a fence to be no race.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
my_cluster_copy_numbered(const T* values, T* result, int iterations) {
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
my_cluster_copy_red_async(const T* values, T* result, int iterations) {
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

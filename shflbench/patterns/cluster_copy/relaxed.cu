// The exchange of `clusters.cu` by relaxed accesses, for few words per thread; from sm_90 on.
//
// Words of 4 or 8 bytes, so that more threads have some than in `clusters.cu`. Those without words skip the loop.
#include "cluster.cuh"
#include "copied/numbered.cuh"
#include "copied/red-async-tests.cuh"
#include "copied/red-async.cuh"
#include "words.cuh"

// Each thread polls what the other block stores: 32 bits and the number of the iteration in one word. Accesses are
// relaxed and of whole words, so that neither needs a barrier or a fence to be no race.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_numbered(const T* values, T* result, int iterations) {
    using Own = shflbench::numbered::Words<BLOCK>;
    Own own, got{};
    load_words(own, values);
    const auto slots = shflbench::numbered::prepare<BLOCK>(shared<unsigned long long>());
    cluster_sync();
    if (threadIdx.x < Own::HAVING) {
        REPEAT(iterations) {
            shflbench::numbered::exchange(own, got, slots, iteration);
            mix_words(own, got);
        }
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
    using Own = shflbench::red_async::Words<BLOCK>;
    __shared__ unsigned long long full[2 * Own::WARPS];
    Own::Word* const slots = shared<Own::Word>();
    Own own, got{};
    load_words(own, values);
    auto now = prepare<BLOCK>(slots, full), next = prepare<BLOCK>(slots + Own::ALL, full + Own::WARPS);
    cluster_sync();
    if (threadIdx.x < Own::HAVING) {
        REPEAT(iterations) {
            exchange(own, got, now, next);
            mix_words(own, got);
        }
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

// The same; threads poll the barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS)
cluster_copy_red_async_tests(const T* values, T* result, int iterations) {
    using namespace shflbench::red_async_tests;
    using Own = shflbench::red_async_tests::Words<BLOCK>;
    __shared__ unsigned long long full[2 * Own::WARPS];
    Own::Word* const slots = shared<Own::Word>();
    Own own, got{};
    load_words(own, values);
    auto now = prepare<BLOCK>(slots, full), next = prepare<BLOCK>(slots + Own::ALL, full + Own::WARPS);
    cluster_sync();
    if (threadIdx.x < Own::HAVING) {
        REPEAT(iterations) {
            exchange(own, got, now, next);
            mix_words(own, got);
        }
    }
    __syncwarp();
    cluster_sync();
    store_words(own, result);
}

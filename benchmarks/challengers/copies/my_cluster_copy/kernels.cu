// The exchange of `clusters.cu` in a block with the threads of all blocks of a cluster.
#include "copied/larger-block.cuh"
#include "shflbench.cuh"
#include "words.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS my_cluster_copy_larger_block(const T* values, T* result, int iterations) {
    using Own = shflbench::larger_block::Words<BLOCK>;
    const int rank = threadIdx.x / BLOCK, thread = threadIdx.x % BLOCK;
    const size_t first = (size_t(blockIdx.x) * OPTION_CLUSTER + rank) * Own::ALL + thread;
    const bool has_words = thread < Own::HAVING;
    Own own, got{};
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        own.word[i] = has_words ? reinterpret_cast<const uint4*>(values)[first + i * BLOCK] : uint4{};
    }
    REPEAT(iterations) {
        shflbench::larger_block::exchange(own, got, shared<uint4>(), iteration);
#pragma unroll
        for (int i = 0; i < Own::COUNT; ++i) own.word[i] = mix(own.word[i], got.word[i]);
    }
#pragma unroll
    for (int i = 0; i < Own::COUNT; ++i) {
        if (has_words) reinterpret_cast<uint4*>(result)[first + i * BLOCK] = own.word[i];
    }
}

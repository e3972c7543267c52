// The blocks of one cluster add all values; from sm_90 on.
#include "copied/one-cluster.cuh"
#include "shflbench.cuh"

constexpr int VALUES = OPTION_BLOCKS * BLOCK;  // of a group
constexpr int THREADS = OPTION_BLOCKS >= 132 ? 512 : 256;
constexpr int PER_THREAD = VALUES / 4 / THREADS;  // vectors, of a cluster of one block
constexpr int SIZE = PER_THREAD >= 8 ? 8 : PER_THREAD >= 4 ? 4 : 2;

// One cluster loads all values, 16 bytes per thread at a time, and its warps send their sums to the first block.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(SIZE) grid_reduce_one_cluster(const T* values, T* sums) {
    shflbench::one_cluster::grid_sum<THREADS, SIZE, VALUES>(values, sums);
}

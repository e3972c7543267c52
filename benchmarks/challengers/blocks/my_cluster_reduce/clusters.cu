// One sum of the values of the blocks of a cluster; from sm_90 on.
#include "copied/add-async.cuh"
#include "copied/barrier.cuh"
#include "copied/barrier-one-release.cuh"
#include "copied/store-async.cuh"
#include "copied/store-async-release.cuh"
#include "shflbench.cuh"

// Each block stores its sum in the shared memory of the first one of its cluster. The relaxed arrival says only that a
// block has started, so that its shared memory exists; the other one publishes the sums.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(OPTION_CLUSTER) cluster_reduce_barrier(const T* values, T* sums) {
    shflbench::barrier::cluster_sum<BLOCK>(values, sums);
}

// The same, except that only the warp that stores releases: the other warps have nothing to publish.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(OPTION_CLUSTER)
cluster_reduce_barrier_one_release(const T* values, T* sums) {
    shflbench::barrier_one_release::cluster_sum<BLOCK>(values, sums);
}

// The stores count their bytes at a barrier in the shared memory of the first block, and nobody else waits. Before them,
// all blocks must have started, and the barrier must be initialized, which the arrival says to the cluster.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(OPTION_CLUSTER) cluster_reduce_store_async(const T* values, T* sums) {
    shflbench::store_async::cluster_sum<BLOCK>(values, sums);
}

// The same with an arrival that releases, too, which nothing here needs: the cost of its fence.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(OPTION_CLUSTER)
cluster_reduce_store_async_release(const T* values, T* sums) {
    shflbench::store_async_release::cluster_sum<BLOCK>(values, sums);
}

// The same with additions to one word, in any order.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(OPTION_CLUSTER) cluster_reduce_add_async(const T* values, T* sums) {
    shflbench::add_async::cluster_sum<BLOCK>(values, sums);
}

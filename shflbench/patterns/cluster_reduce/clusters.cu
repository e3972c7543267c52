// One sum of the values of the blocks of a cluster.
#include "sum.cuh"

constexpr int WARPS = BLOCK / WARP;

// Each block stores its sum in the shared memory of the first one of its cluster. The relaxed arrival says only that a
// block has started, so that its shared memory exists; the other one publishes the sums.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS) cluster_reduce_barrier(const T* values, T* sums) {
    __shared__ T of_blocks[BLOCKS];
    cluster_arrive_relaxed();
    const T sum = block_sum<WARPS>(values[thread()]);
    cluster_wait();
    if (threadIdx.x == 0) store_at(address_in(0, &of_blocks[rank_in_cluster()]), sum);
    __syncwarp();
    cluster_sync();
    if (rank_in_cluster() == 0 && threadIdx.x == 0) sums[blockIdx.x / BLOCKS] = few(of_blocks);
}

// The same, except that only the warp that stores releases: the other warps have nothing to publish.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS) cluster_reduce_barrier_one_release(const T* values, T* sums) {
    __shared__ T of_blocks[BLOCKS];
    cluster_arrive_relaxed();
    const T sum = block_sum<WARPS>(values[thread()]);
    cluster_wait();
    if (threadIdx.x == 0) store_at(address_in(0, &of_blocks[rank_in_cluster()]), sum);
    __syncwarp();
    if (threadIdx.x < WARP) cluster_arrive();
    else cluster_arrive_relaxed();
    cluster_wait();
    if (rank_in_cluster() == 0 && threadIdx.x == 0) sums[blockIdx.x / BLOCKS] = few(of_blocks);
}

// The stores count their bytes at a barrier in the shared memory of the first block, and nobody else waits. Before them,
// all blocks must have started, and the barrier must be initialized: `arrive` says so to the cluster.
template <typename T, typename Arrive>
__device__ void sum_of_stores(const T* values, T* sums, Arrive arrive) {
    __shared__ T of_blocks[BLOCKS];
    __shared__ unsigned long long arrived;
    if (threadIdx.x == 0) {
        init(&arrived, 1);
        publish_init();
    }
    __syncwarp();
    arrive();
    const T sum = block_sum<WARPS>(values[thread()]);
    cluster_wait();
    if (threadIdx.x != 0) return;
    if (rank_in_cluster() == 0) arrive_expecting(&arrived, BLOCKS * sizeof(T));
    store_async(address_in(0, &of_blocks[rank_in_cluster()]), sum, address_in(0, &arrived));
    if (rank_in_cluster() != 0) return;
    wait(&arrived, 0);
    sums[blockIdx.x / BLOCKS] = few(of_blocks);
}
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS) cluster_reduce_store_async(const T* values, T* sums) {
    sum_of_stores(values, sums, [] { cluster_arrive_relaxed(); });
}

// The same with an arrival that releases, too, which nothing here needs: the cost of its fence.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS) cluster_reduce_store_async_release(const T* values, T* sums) {
    sum_of_stores(values, sums, [] { cluster_arrive(); });
}

// The same with additions to one word, in any order.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(BLOCKS) cluster_reduce_add_async(const T* values, T* sums) {
    __shared__ T total;
    __shared__ unsigned long long arrived;
    if (threadIdx.x == 0) {
        total = T(0);
        init(&arrived, 1);
    }
    __syncwarp();
    cluster_arrive();  // not relaxed: it publishes the zero
    const T sum = block_sum<WARPS>(values[thread()]);
    cluster_wait();
    if (threadIdx.x != 0) return;
    if (rank_in_cluster() == 0) arrive_expecting(&arrived, BLOCKS * sizeof(T));
    add_async(address_in(0, &total), sum, address_in(0, &arrived));
    if (rank_in_cluster() != 0) return;
    wait(&arrived, 0);
    sums[blockIdx.x / BLOCKS] = total;
}

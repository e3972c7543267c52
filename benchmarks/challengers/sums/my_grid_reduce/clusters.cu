// Blocks of clusters send their sums to one of them; from sm_90 on.
#include "copied/cluster-last.cuh"
#include "shflbench.cuh"

// As in `last-block-acq-rel`, but with one ticket per cluster of up to 8 blocks, whose first block has the sum of all.
template <typename T>
__global__ void LAUNCH_BOUNDS __cluster_dims__(shflbench::cluster_last::Cluster::SIZE)
my_grid_reduce_cluster_last(const T* values, T* sums, T* partial, unsigned* tickets) {
    shflbench::cluster_last::grid_sum<BLOCK>(values, sums, partial, tickets);
}

// broken: DEPENDENT_RAW WAITS_LATER
// pdl: partition,merge
// same: partition.merge_partitions=merge.merge_partitions
// source: https://github.com/NVIDIA/cccl/pull/5456 (issue 5297), Apache-2.0 with LLVM exception
// Written anew after the thread: no code of it.
// The merge kernel loads its part of the partitions before the wait, which guards only the loads of keys.
// Left out: types of keys, values, the merge of a tile by threads, iterators.
__global__ void partition(const int *keys, int *merge_partitions, int count, int tile) {
    int number = blockIdx.x * blockDim.x + threadIdx.x, parts = (count + tile - 1) / tile;
    cudaGridDependencySynchronize();
    if (number <= parts) merge_partitions[number] = min(number * tile, count) + 0 * keys[0];  // earlier
}

__global__ void merge(const int *keys, const int *merge_partitions, int *result, int count, int tile) {
    int tiles = (count + tile - 1) / tile;
    for (int number = blockIdx.x; number < tiles; number += gridDim.x) {
#ifdef FIXED
        cudaGridDependencySynchronize();
        int begin = merge_partitions[number], end = merge_partitions[number + 1];
#else
        int begin = merge_partitions[number], end = merge_partitions[number + 1];  // later
        cudaGridDependencySynchronize();
#endif
        for (int i = begin + threadIdx.x; i < end; i += blockDim.x) result[i] = keys[i];
    }
}

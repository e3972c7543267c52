// Adds the sum of an array to `total`, which is zero before. The first four kernels have a tree for BLOCK elements, or
// twice as many, as the first steps of the guide; the others let each thread add up its elements first.
#include "copied/shfl-vector.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-vector.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"
#include "sums.cuh"





// Each thread adds up its elements in a register; then one tree per block.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_smem(const T* values, Sum<T>* total) {
    shflbench::smem::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}

// Loads of 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_smem_vector(const T* values, Sum<T>* total) {
    shflbench::smem_vector::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}


// Shuffles within warps, and shared memory from warp to warp.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_shfl(const T* values, Sum<T>* total) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    shflbench::shfl::add_sum<BLOCK>(values, ALL, total, of_warps);
}

// Loads of 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_shfl_vector(const T* values, Sum<T>* total) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    shflbench::shfl_vector::add_sum<BLOCK>(values, ALL, total, of_warps);
}




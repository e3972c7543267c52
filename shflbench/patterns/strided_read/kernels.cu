// Each thread reads one element of global memory and stores it at its own index. Neighboring threads read
// elements that are STRIDE apart; STRIDE 0 means one element per block. OFFSET misaligns all reads.
#include "copied/global.cuh"
#include "copied/shfl.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

constexpr int STRIDE = OPTION_STRIDE;
constexpr int OFFSET = OPTION_OFFSET;

// The element of the warp's first lane.
__device__ int first() { return (STRIDE == 0 ? blockIdx.x : (thread() - lane()) * STRIDE) + OFFSET; }

template <typename T>
__global__ void LAUNCH_BOUNDS strided_read_global(const T* values, T* result) {
    result[thread()] = shflbench::global::load_strided(values, first());
}

// The warp reads all elements between its first and its last, 32 neighbors at a time, and writes them to shared memory,
// from where each lane reads its own element.
template <typename T>
__global__ void LAUNCH_BOUNDS strided_read_smem(const T* values, T* result) {
    T* slots = shared<T>() + first_of_warp() * STRIDE;
    result[thread()] = shflbench::smem::load_strided(values, first(), slots);
}

// ... or each lane shuffles from the lane that holds its element, if it is among these 32.
template <typename T>
__global__ void LAUNCH_BOUNDS strided_read_shfl(const T* values, T* result) {
    result[thread()] = shflbench::shfl::load_strided(values, first());
}

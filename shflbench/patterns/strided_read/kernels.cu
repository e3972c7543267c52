// Each thread reads one element of global memory and stores it in its own place. Neighbouring threads read
// at a distance of STRIDE elements; STRIDE 0 stands for one element a block. OFFSET misaligns them all.
#include "shflbench.cuh"

constexpr int STRIDE = OPTION_STRIDE;
constexpr int OFFSET = OPTION_OFFSET;

template <typename T>
__global__ void strided_read_global(const T* values, T* result) {
    const int place = STRIDE == 0 ? blockIdx.x : thread() * STRIDE;
    result[thread()] = values[place + OFFSET];
}

// The warp reads all elements between its first and its last, 32 neighbours at a time.
template <typename T>
__device__ T read_between(const T* values, int part) {
    const int first = (thread() - lane()) * STRIDE + OFFSET;
    return values[first + part * WARP + lane()];
}

// ... puts them into shared memory, and each lane takes its own from there.
template <typename T>
__global__ void strided_read_smem(const T* values, T* result) {
    T* slots = shared<T>() + first_of_warp() * STRIDE;
#pragma unroll
    for (int part = 0; part < STRIDE; ++part) slots[part * WARP + lane()] = read_between(values, part);
    __syncwarp();
    result[thread()] = slots[lane() * STRIDE];
}

// ... and asks, of each 32, the lane that holds what its own would be, if it is among these 32.
template <typename T>
__global__ void strided_read_shfl(const T* values, T* result) {
    const int wanted = lane() * STRIDE;
    T mine;
#pragma unroll
    for (int part = 0; part < STRIDE; ++part) {
        const T candidate = shfl(read_between(values, part), wanted % WARP);
        if (wanted / WARP == part) mine = candidate;
    }
    result[thread()] = mine;
}

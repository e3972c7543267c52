// Each thread reads one element of global memory and stores it at its own index. Neighboring threads read
// elements that are STRIDE apart; STRIDE 0 means one element per block. OFFSET misaligns all reads.
#include "shflbench.cuh"

constexpr int STRIDE = OPTION_STRIDE;
constexpr int OFFSET = OPTION_OFFSET;

template <typename T>
__global__ void LAUNCH_BOUNDS strided_read_global(const T* values, T* result) {
    const int place = STRIDE == 0 ? blockIdx.x : thread() * STRIDE;
    result[thread()] = values[place + OFFSET];
}

// The warp reads all elements between its first and its last, 32 neighbors at a time.
template <typename T>
__device__ T read_between(const T* values, int part) {
    const int first = (thread() - lane()) * STRIDE + OFFSET;
    return values[first + part * WARP + lane()];
}

// ... writes them to shared memory, and each lane reads its own element from there.
template <typename T>
__global__ void LAUNCH_BOUNDS strided_read_smem(const T* values, T* result) {
    T* slots = shared<T>() + first_of_warp() * STRIDE;
#pragma unroll
    for (int part = 0; part < STRIDE; ++part) slots[part * WARP + lane()] = read_between(values, part);
    __syncwarp();
    result[thread()] = slots[lane() * STRIDE];
}

// ... and each lane shuffles from the lane that holds its element, if it is among these 32.
template <typename T>
__global__ void LAUNCH_BOUNDS strided_read_shfl(const T* values, T* result) {
    const int wanted = lane() * STRIDE;
    T mine;
#pragma unroll
    for (int part = 0; part < STRIDE; ++part) {
        const T candidate = shfl(read_between(values, part), wanted % WARP);
        if (wanted / WARP == part) mine = candidate;
    }
    result[thread()] = mine;
}

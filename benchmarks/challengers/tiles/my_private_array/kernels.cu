// Challengers of private-array: f32, length 32, math 0.
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

template <typename T>
__device__ const T* initial(const T* arrays) { return arrays + (thread() - lane()) * LENGTH + lane(); }

__device__ inline float load(unsigned address) {
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(address) : "memory");
    return x;
}
// The array begins at this address in shared memory, a whole number of times 256 bytes: any address from the first on that a
// block may use.
constexpr unsigned PLACE = 2048;
__device__ inline float load_placed(unsigned address) {
    float x;
    asm volatile("ld.shared.f32 %0, [%1 + 2048];" : "=f"(x) : "r"(address) : "memory");
    return x;
}

// 32 elements of a warp side by side: `dp4a`, whose factor is in a register of each thread.
template <typename T>
__device__ void by_dp4a(const T* arrays, const int* start, T* result, int iterations, unsigned distance) {
    T* slots = shared<T>() + threadIdx.x / WARP * LENGTH * WARP + lane();
    const unsigned mine = shared_address(slots);
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) slots[i * WARP] = initial(arrays)[i * WARP];
    T x = 0;
    unsigned word = start[thread()];
    REPEAT(iterations) {
        const T element = load(__dp4a(word, distance, mine));
        x += element;
        word = __float_as_uint(element);
    }
    result[thread()] = x;
}
__device__ inline unsigned opaque_distance() {
    unsigned distance;
    asm volatile("min.u32 %0, %1, 128;" : "=r"(distance) : "r"(threadIdx.x + 128));
    return distance;
}
#define DP4A_KERNEL(name, distance) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_private_array_##name(const T* arrays, const int* start, T* result, float one, int iterations) { \
        by_dp4a(arrays, start, result, iterations, distance); \
    }
DP4A_KERNEL(x_dp4a, 128u)
DP4A_KERNEL(x_dp4a_register, opaque_distance())

// 64 elements of a block side by side, at 256 bytes times the index: one permutation of bytes makes the address.
template <typename T>
__global__ void LAUNCH_BOUNDS my_private_array_x_prmt(const T* arrays, const int* start, T* result, float one, int iterations) {
    if (blockDim.x != 64 || shared_address(shared<T>()) > PLACE) __trap();
    T* slots = shared<T>() + (PLACE - shared_address(shared<T>())) / sizeof(T) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) slots[i * 64] = initial(arrays)[i * WARP];
    const unsigned mine = threadIdx.x * sizeof(T);
    T x = 0;
    unsigned word = start[thread()];
    REPEAT(iterations) {
        const T element = load_placed(__byte_perm(word, mine, 0x7604));
        x += element;
        word = __float_as_uint(element);
    }
    result[thread()] = x;
}

// The same address by a permutation of bytes, and an addition in the load.
template <typename T>
__global__ void LAUNCH_BOUNDS my_private_array_x_prmt_base(const T* arrays, const int* start, T* result, float one, int iterations) {
    if (blockDim.x != 64) __trap();
    T* slots = shared<T>() + threadIdx.x;
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) slots[i * 64] = initial(arrays)[i * WARP];
    const unsigned mine = threadIdx.x * sizeof(T);
    T x = 0;
    unsigned word = start[thread()];
    REPEAT(iterations) {
        const char* all = reinterpret_cast<const char*>(shared<T>());
        const T element = *reinterpret_cast<const T*>(all + __byte_perm(word, mine, 0x7604));
        x += element;
        word = __float_as_uint(element);
    }
    result[thread()] = x;
}

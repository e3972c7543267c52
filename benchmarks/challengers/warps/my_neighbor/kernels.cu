// Challengers of the exchange with the next lane.
#include "loads.cuh"
#include "shflbench.cuh"

#define KERNEL(name, ...) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_neighbor_##name(const T* values, T* result, int iterations) { \
        T x = values[thread()]; \
        int buffer = 0; \
        (void)buffer; \
        REPEAT(iterations) { __VA_ARGS__ } \
        result[thread()] = x; \
    }
KERNEL(shfl, x = __shfl_sync(FULL_WARP, x, (threadIdx.x + 1) % 32);)
// Two buffers of a warp side by side: no uniform registers in addresses, one barrier.
KERNEL(x_smem_known, {
    T* const slots = shared<T>() + threadIdx.x / 32 * 64 + buffer;
    volatile_store(slots + lane(), x);
    __syncwarp();
    x = load1(slots + (lane() + 1) % 32);
    buffer ^= 32;
})
// The first lane stores its value a second time, behind the last one: load and store have one address.
KERNEL(x_smem_behind, {
    T* const slots = shared<T>() + threadIdx.x / 32 * 80 + lane() + buffer;
    volatile_store(slots, x);
    if (lane() == 0) volatile_store(slots + 32, x);
    __syncwarp();
    x = load1(slots + 1);
    buffer ^= 40;
})
// Down by one lane; the last one takes the first one's value by another shuffle.
KERNEL(x_down_wrap, {
    const T first = __shfl_sync(FULL_WARP, x, 0), next = __shfl_down_sync(FULL_WARP, x, 1);
    x = lane() == 31 ? first : next;
})

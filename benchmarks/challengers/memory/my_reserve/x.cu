// Challengers of `reserve`: fewer additions to the counter. `count` is the number of all slots that are reserved.
#include "shflbench.cuh"

__device__ inline int fetch_add(int* counter, int x) {  // by one thread: the compiler would vote first
    int old;
    asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], %2;" : "=r"(old) : "l"(counter), "r"(x) : "memory");
    return old;
}
// Threads of the block that have a slot.
__device__ inline int slots_of_block(int count) {
    const int left = count - int(blockIdx.x * blockDim.x);
    return left < int(blockDim.x) ? left : blockDim.x;
}

// One addition per block, of blocks that have more threads.
__device__ inline void block(int* next, int* slots, int count) {
    __shared__ int first;
    if (threadIdx.x == 0) first = fetch_add(next, slots_of_block(count));
    __syncthreads();
    if (thread() < count) slots[thread()] = first + threadIdx.x;
}
template <typename T>
__global__ void __launch_bounds__(512, 4) my_reserve_x_block512(T* next, T* slots, int count) { block(next, slots, count); }
template <typename T>
__global__ void __launch_bounds__(1024, 2) my_reserve_x_block1024(T* next, T* slots, int count) {
    block(next, slots, count);
}
template <typename T>
__global__ void __launch_bounds__(128, 16) my_reserve_x_block128(T* next, T* slots, int count) { block(next, slots, count); }

// The same; the first warp takes the result from a shuffle and does not wait at the barrier.
template <typename T>
__global__ void __launch_bounds__(1024, 2) my_reserve_x_arrive1024(T* next, T* slots, int count) {
    __shared__ T published;
    T first = 0;
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            first = fetch_add(next, slots_of_block(count));
            published = first;
        }
        __syncwarp();
        if (blockDim.x > WARP) asm volatile("barrier.cta.arrive.aligned 1, %0;" :: "r"(blockDim.x) : "memory");
        first = __shfl_sync(FULL_WARP, first, 0);
    } else {
        asm volatile("barrier.cta.sync.aligned 1, %0;" :: "r"(blockDim.x) : "memory");
        first = published;
    }
    if (thread() < count) slots[thread()] = first + threadIdx.x;
}

// Blocks of a resident grid: each passes over its part of the slots, 1,024 at a time. One addition for each 1,024; the next
// one is on its way while the slots of this one are stored.
template <typename T>
__global__ void __launch_bounds__(1024, 2) my_reserve_x_ahead(T* next, T* slots, int count) {
    __shared__ T first[2];
    const int step = gridDim.x * blockDim.x;
    const auto reserve = [&](int start) {
        const int left = count - start;
        return fetch_add(next, left < int(blockDim.x) ? left : blockDim.x);
    };
    int start = blockIdx.x * blockDim.x, turn = 0;
    if (threadIdx.x == 0 && start < count) first[0] = reserve(start);
    __syncthreads();
    for (; start < count; start += step) {
        T later = 0;
        if (threadIdx.x == 0 && start + step < count) later = reserve(start + step);
        if (start + threadIdx.x < count) slots[start + threadIdx.x] = first[turn] + threadIdx.x;
        if (threadIdx.x == 0) first[turn ^ 1] = later;
        __syncthreads();
        turn ^= 1;
    }
}

// One addition per block of a resident grid, for all slots of its threads, which store them one after another.
template <typename T>
__global__ void __launch_bounds__(1024, 2) my_reserve_x_once(T* next, T* slots, int count) {
    __shared__ T reserved;
    const int rounds = (count + int(blockDim.x) - 1) / int(blockDim.x);  // of all blocks
    const int begin = int(blockIdx.x * (long long)rounds / gridDim.x) * blockDim.x;
    const int after = int((blockIdx.x + 1) * (long long)rounds / gridDim.x) * blockDim.x;
    const int end = after < count ? after : count;
    if (threadIdx.x == 0 && begin < end) reserved = fetch_add(next, end - begin);
    __syncthreads();
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) slots[i] = reserved + (i - begin);
}

// Four adjacent slots per thread, stored at once; one addition per block.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_reserve_x_four(T* next, T* slots, int count) {
    __shared__ T reserved;
    const int begin = blockIdx.x * (4 * blockDim.x), left = count - begin;
    if (threadIdx.x == 0) reserved = fetch_add(next, left < 4 * int(blockDim.x) ? left : 4 * blockDim.x);
    __syncthreads();
    const int mine = 4 * threadIdx.x;
    const T first = reserved + mine;
    if (mine < left) {  // all four: `count` is a multiple of 32
        *reinterpret_cast<int4*>(slots + begin + mine) = make_int4(first, first + 1, first + 2, first + 3);
    }
}

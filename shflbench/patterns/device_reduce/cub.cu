// The sum by CUB's functions for blocks.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

#include "shflbench.cuh"
#include "sums.cuh"

// Each thread loads 16 bytes at a time, and adds them up in registers until the whole block does.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_cub(const T* values, Sum<T>* total) {
    constexpr int ITEMS = 16 / sizeof(T);
    using Load = cub::BlockLoad<T, BLOCK, ITEMS, cub::BLOCK_LOAD_VECTORIZE>;
    using Reduce = cub::BlockReduce<Sum<T>, BLOCK>;
    __shared__ typename Reduce::TempStorage storage;
    Sum<T> sum = 0;
#pragma unroll 4
    for (int i = 0; i < PER_THREAD / ITEMS; ++i) {
        T items[ITEMS];
        Load().Load(values + first_of_step(i, ITEMS), items);
        for (const T item : items) sum = add(sum, sum_of(item));
    }
    sum = Reduce(storage).Sum(sum);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

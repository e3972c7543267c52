// A team of rows.cuh that combines its numbers by CUB.
#pragma once
#include <cub/block/block_reduce.cuh>

#include "rows.cuh"

// Thread 0 gets the result; a slot in shared memory and a barrier give it to all threads. The barrier also separates
// two uses of CUB's storage.
struct CubTeam : BlockTeam {
    template <typename Combine>
    __device__ void all(float (&x)[1], Combine combine) {
        using Reduce = cub::BlockReduce<float, BLOCK>;
        __shared__ typename Reduce::TempStorage storage;
        __shared__ float slots[2];
        const float total = Reduce(storage).Reduce(x[0], combine);
        turn ^= 1;
        if (threadIdx.x == 0) slots[turn] = total;
        __syncthreads();
        x[0] = slots[turn];
    }
};

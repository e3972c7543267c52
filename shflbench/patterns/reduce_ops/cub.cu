// The result by CUB. Lane 0 gets it; one more shuffle gives it to all lanes.
#include <cub/warp/warp_reduce.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include "operation.cuh"
#include "shflbench.cuh"

#if OPTION_OP_MIN
using Operation = cuda::minimum<>;
#elif OPTION_OP_MAX
using Operation = cuda::maximum<>;
#elif OPTION_OP_AND
using Operation = cuda::std::bit_and<>;
#elif OPTION_OP_OR
using Operation = cuda::std::bit_or<>;
#elif OPTION_OP_XOR
using Operation = cuda::std::bit_xor<>;
#else
using Operation = cuda::std::plus<>;
#endif

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_cub(const T* values, T* result, int iterations) {
    using Reduce = cub::WarpReduce<T>;
    __shared__ typename Reduce::TempStorage storage[WARP];  // one per warp of the block
    T x = values[thread()];
    REPEAT(iterations) {
        const T all = Reduce(storage[threadIdx.x / WARP]).Reduce(contribution(x), Operation());
        x = advance(x, __shfl_sync(FULL_WARP, all, 0));
    }
    result[thread()] = x;
}
